#!/usr/bin/env python3
"""Writes deploy/observability/ringway.rules.yml and its unit tests, ringway.rules.test.yml.

Each alert stands here once: what it watches, for how long, how bad it is, one series that makes it fire and one that
must not. promtool wants every expected label and annotation spelt out; a person would get them wrong.
Run without arguments after a change; --check exits 1 when the files are not what would be written.
"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "observability"
HEAD = "# Written by tools/observability/alerts.py; change it there.\n"

# The share of jobs that end in a way, over those that clients sent here. Forwarded ones count at their entry.
def share(outcomes):
    return ('sum by (tier) (rate(ringway_router_requests_total{via="client",outcome=~"%s"}[5m]))'
            ' / sum by (tier) (rate(ringway_router_requests_total{via="client"}[5m]))' % outcomes)


def requests(outcome, step):
    return ('ringway_router_requests_total{tier="t",via="client",outcome="%s"}' % outcome, "0+%dx80" % step)


REGION = '{tier="t",region="r"}'

# name, severity, for, expression, summary template, labels expected, its value, firing series, quiet series
ALERTS = [
    ("RingwayControllerDown", "page", "2m", 'up{job="ringway-controller"} == 0',
     "The controller {{ $labels.instance }} is not scraped", {"job": "ringway-controller", "instance": "c"},
     [('up{job="ringway-controller",instance="c"}', "0x80")],
     [('up{job="ringway-controller",instance="c"}', "1x80")]),
    ("RingwayRouterWithoutController", "warning", "2m", "ringway_router_controller_connected == 0",
     "Router {{ $labels.instance }} hears no controller and keeps its last table", {"instance": "a"},
     [('ringway_router_controller_connected{instance="a"}', "0x80")],
     [('ringway_router_controller_connected{instance="a"}', "1x80")]),
    ("RingwayRouterTableBehind", "warning", "2m",
     "ringway_router_table_epoch < scalar(max(ringway_controller_epoch)) or "
     "(ringway_router_table_version < scalar(max(ringway_controller_table_version)) - 60 and "
     "ringway_router_table_epoch == scalar(max(ringway_controller_epoch)))",
     "Router {{ $labels.instance }} routes by an old table", {"instance": "a"},
     [('ringway_router_table_epoch{instance="a"}', "1x80"), ('ringway_router_table_version{instance="a"}', "5x80"),
      ("ringway_controller_epoch", "2x80"), ("ringway_controller_table_version", "9x80")],
     [('ringway_router_table_epoch{instance="a"}', "2x80"), ('ringway_router_table_version{instance="a"}', "5x80"),
      ("ringway_controller_epoch", "2x80"), ("ringway_controller_table_version", "9x80")]),
    ("RingwayTablesRefused", "page", "0m", 'increase(ringway_router_tables_total{result="refused"}[10m]) > 0',
     "Router {{ $labels.instance }} refuses the controller's tables", {"instance": "a", "result": "refused"},
     [('ringway_router_tables_total{instance="a",result="refused"}', "0x20 1x60")],
     [('ringway_router_tables_total{instance="a",result="refused"}', "4x80")]),
    ("RingwayShedding", "page", "2m",
     "ringway_controller_tier_shed_rps / (ringway_controller_tier_demand_rps > 0) > 0.01",
     "{{ $value | humanizePercentage }} of tier {{ $labels.tier }} is shed", {"tier": "t"},
     [('ringway_controller_tier_shed_rps{tier="t"}', "5x80"),
      ('ringway_controller_tier_demand_rps{tier="t"}', "100x80")],
     [('ringway_controller_tier_shed_rps{tier="t"}', "0x80"),
      ('ringway_controller_tier_demand_rps{tier="t"}', "0x80")]),
    ("RingwayRegionHot", "warning", "10m",
     "ringway_controller_region_load > on (tier) group_left () "
     "(ringway_controller_tier_overload_threshold * 1.05)",
     "Region {{ $labels.region }} of tier {{ $labels.tier }} is above its threshold: load {{ $value }}",
     {"tier": "t", "region": "r"},
     [("ringway_controller_region_load" + REGION, "0.9x80"),
      ('ringway_controller_tier_overload_threshold{tier="t"}', "0.8x80")],
     [("ringway_controller_region_load" + REGION, "0.82x80"),
      ('ringway_controller_tier_overload_threshold{tier="t"}', "0.8x80")]),
    ("RingwayRegionUnheard", "page", "1m",
     "ringway_controller_region_input_health == 2 and ringway_controller_region_workers > 0",
     "Nothing is heard of region {{ $labels.region }} of tier {{ $labels.tier }}", {"tier": "t", "region": "r"},
     [("ringway_controller_region_input_health" + REGION, "2x80"),
      ("ringway_controller_region_workers" + REGION, "4x80")],
     [("ringway_controller_region_input_health" + REGION, "2x80"),
      ("ringway_controller_region_workers" + REGION, "0x80")]),
    ("RingwayWorkersMissing", "warning", "10m",
     "ringway_controller_region_workers_seen < 0.8 * "
     "(ringway_controller_region_workers_wanted or ringway_controller_region_workers)",
     "Region {{ $labels.region }} of tier {{ $labels.tier }} has {{ $value }} living workers, too few",
     {"tier": "t", "region": "r"},
     [("ringway_controller_region_workers_seen" + REGION, "3x80"),
      ("ringway_controller_region_workers" + REGION, "4x80")],
     [("ringway_controller_region_workers_seen" + REGION, "4x80"),
      ("ringway_controller_region_workers_wanted" + REGION, "4x80"),
      ("ringway_controller_region_workers" + REGION, "40x80")]),
    ("RingwayNoRoomToScale", "warning", "15m",
     "ringway_controller_region_workers_wanted == ringway_controller_region_workers and "
     "ringway_controller_region_workers > 0",
     "Region {{ $labels.region }} of tier {{ $labels.tier }} wants all the {{ $value }} workers that it may run",
     {"tier": "t", "region": "r"},
     [("ringway_controller_region_workers_wanted" + REGION, "4x80"),
      ("ringway_controller_region_workers" + REGION, "4x80")],
     [("ringway_controller_region_workers_wanted" + REGION, "3x80"),
      ("ringway_controller_region_workers" + REGION, "4x80")]),
    ("RingwayPlansRejected", "warning", "5m", 'rate(ringway_controller_findings_total{kind="kept-previous"}[5m]) > 0',
     "The planner keeps its previous table because the new one is not sound", {"kind": "kept-previous"},
     [('ringway_controller_findings_total{kind="kept-previous"}', "0+1x80")],
     [('ringway_controller_findings_total{kind="kept-previous"}', "7x80")]),
    ("RingwayJobsFail", "page", "5m", "%s > 0.01" % share("failed"),
     "{{ $value | humanizePercentage }} of the jobs of tier {{ $labels.tier }} fail", {"tier": "t"},
     [requests("done", 90), requests("failed", 10)], [requests("done", 100), requests("failed", 0)]),
    ("RingwayJobsRefused", "page", "5m", "%s > 0.02" % share("shed|timeout|busy"),
     "{{ $value | humanizePercentage }} of the jobs of tier {{ $labels.tier }} are refused or late", {"tier": "t"},
     [requests("done", 90), requests("shed", 5), requests("timeout", 5)],
     [requests("done", 99), requests("cancelled", 50)]),
    ("RingwayWaitLong", "warning", "10m",
     "histogram_quantile(0.95, sum by (tier, le) (rate(ringway_router_queue_wait_seconds_bucket[5m]))) > 5",
     "One job in twenty of tier {{ $labels.tier }} waits more than {{ $value }} s", {"tier": "t"},
     [('ringway_router_queue_wait_seconds_bucket{tier="t",le="5"}', "0+10x80"),
      ('ringway_router_queue_wait_seconds_bucket{tier="t",le="10"}', "0+20x80"),
      ('ringway_router_queue_wait_seconds_bucket{tier="t",le="+Inf"}', "0+20x80")],
     [('ringway_router_queue_wait_seconds_bucket{tier="t",le="5"}', "0+20x80"),
      ('ringway_router_queue_wait_seconds_bucket{tier="t",le="10"}', "0+20x80"),
      ('ringway_router_queue_wait_seconds_bucket{tier="t",le="+Inf"}', "0+20x80")]),
    ("RingwayProbesWasted", "warning", "10m",
     'sum(rate(ringway_router_offers_total{result="busy"}[5m])) / '
     'sum(rate(ringway_router_offers_total{result="done"}[5m])) > 4',
     "{{ $value }} offers meet a busy worker for each that is served", {},
     [('ringway_router_offers_total{result="busy"}', "0+50x80"), ('ringway_router_offers_total{result="done"}', "0+10x80")],
     [('ringway_router_offers_total{result="busy"}', "0+30x80"), ('ringway_router_offers_total{result="done"}', "0+10x80")]),
    ("RingwayRetryBudgetSpent", "warning", "2m", "ringway_router_retry_budget < 1",
     "Router {{ $labels.instance }} may not offer jobs of tier {{ $labels.tier }} a second time",
     {"instance": "a", "tier": "t"},
     [('ringway_router_retry_budget{instance="a",tier="t"}', "0x80")],
     [('ringway_router_retry_budget{instance="a",tier="t"}', "50x80")]),
    ("RingwayWorkerUnhealthy", "warning", "5m", "ringway_worker_healthy == 0",
     "Worker {{ $labels.instance }} has failed its jobs and rests", {"instance": "w"},
     [('ringway_worker_healthy{instance="w"}', "0x80")], [('ringway_worker_healthy{instance="w"}', "1x80")]),
    ("RingwayStateNotSaved", "page", "0m",
     'increase(ringway_controller_state_saves_total{outcome="failed"}[10m]) > 0',
     "The controller cannot write its state; a restart would forget orders", {"outcome": "failed"},
     [('ringway_controller_state_saves_total{outcome="failed"}', "0x20 1x60")],
     [('ringway_controller_state_saves_total{outcome="failed"}', "1x80")]),
    ("RingwayJournalDrops", "warning", "0m", "increase(ringway_controller_journal_dropped_total[10m]) > 0",
     "The controller's journal loses records; what it recorded cannot be replayed whole", {},
     [("ringway_controller_journal_dropped_total", "0x20 9x60")],
     [("ringway_controller_journal_dropped_total", "9x80")]),
    ("RingwayPlanSlow", "warning", "10m",
     "histogram_quantile(0.99, sum by (le) (rate(ringway_controller_step_seconds_bucket[5m]))) > 0.5",
     "The slowest hundredth of the controller's steps take {{ $value | printf \"%.1f\" }} s", {},
     [('ringway_controller_step_seconds_bucket{le="0.3"}', "0+10x80"),
      ('ringway_controller_step_seconds_bucket{le="1"}', "0+20x80"),
      ('ringway_controller_step_seconds_bucket{le="+Inf"}', "0+20x80")],
     [('ringway_controller_step_seconds_bucket{le="0.3"}', "0+20x80"),
      ('ringway_controller_step_seconds_bucket{le="1"}', "0+20x80"),
      ('ringway_controller_step_seconds_bucket{le="+Inf"}', "0+20x80")]),
    ("RingwayInboxDeep", "page", "1m", "ringway_controller_inbox_depth > 10000",
     "The controller falls behind: {{ $value }} tasks wait", {},
     [("ringway_controller_inbox_depth", "20000x80")], [("ringway_controller_inbox_depth", "3x80")]),
    ("RingwayTopologyRefused", "warning", "0m",
     'increase(ringway_controller_topology_reloads_total{outcome="refused"}[15m]) > 0',
     "The controller refused an edited topology; the one before stands", {"outcome": "refused"},
     [('ringway_controller_topology_reloads_total{outcome="refused"}', "0x20 1x60")],
     [('ringway_controller_topology_reloads_total{outcome="refused"}', "1x80")]),
    ("RingwayCanaryReverted", "warning", "0m",
     'ringway_controller_canary{state="reverted"} == 1',
     "A new configuration was tried and reverted: the topology file is not what is in force",
     {"state": "reverted"},
     [('ringway_controller_canary{state="reverted"}', "0x20 1x60")],
     [('ringway_controller_canary{state="reverted"}', "0x80")]),
    ("RingwayMetricSourceFails", "warning", "5m",
     'rate(ringway_controller_prometheus_queries_total{outcome="failed"}[5m]) > 0',
     "The controller's queries to Prometheus fail", {"outcome": "failed"},
     [('ringway_controller_prometheus_queries_total{outcome="failed"}', "0+1x80")],
     [('ringway_controller_prometheus_queries_total{outcome="failed"}', "3x80")]),
    ("RingwayTierNotActive", "warning", "15m", "ringway_controller_tier_mode > 0",
     "Tier {{ $labels.tier }} is not planned: observed or frozen", {"tier": "t"},
     [('ringway_controller_tier_mode{tier="t"}', "2x80")], [('ringway_controller_tier_mode{tier="t"}', "0x80")]),
    ("RingwayDrainForgotten", "warning", "15m", "min_over_time(ringway_controller_region_drained_share[6h]) == 1",
     "Region {{ $labels.region }} of tier {{ $labels.tier }} has been drained for hours",
     {"tier": "t", "region": "r"},
     [("ringway_controller_region_drained_share" + REGION, "1x80")],
     [("ringway_controller_region_drained_share" + REGION, "0x40 1x40")]),
]
EVALUATED_AT = "18m"  # 72 of the series' samples; the longest `for` is 15 m
EVALUATED_AT_S = 18 * 60


def quoted(text):
    return json.dumps(text)


def rules():
    lines = [HEAD, "# Check with: promtool check rules ringway.rules.yml\ngroups:\n  - name: ringway\n    rules:\n"]
    for name, severity, span, expr, summary, _, _, _ in ALERTS:
        lines.append(f"""      - alert: {name}
        expr: {quoted(expr)}
        for: {span}
        labels: {{severity: {severity}}}
        annotations:
          summary: {quoted(summary)}
          runbook: docs/operating.md#{name.lower()}
""")
    return "".join(lines)


def case(name, series, fires, alert):
    text = "  - interval: 15s\n    input_series:\n"
    for selector, values in series:
        text += f"      - {{series: {quoted(selector)}, values: {quoted(values)}}}\n"
    at = "8m" if alert[2] == "0m" else EVALUATED_AT  # an increase has passed by the later time
    text += f"    alert_rule_test:\n      - eval_time: {at}\n        alertname: {name}\n"
    if not fires:
        return text + "        exp_alerts: []\n"
    labels = dict(alert[5], severity=alert[1])
    shown = alert[4]
    for key, value in alert[5].items():
        shown = shown.replace("{{ $labels.%s }}" % key, value)
    for spelling, value in VALUES.get(name, []):
        shown = shown.replace(spelling, value)
    return text + f"""        exp_alerts:
          - exp_labels: {json.dumps(labels)}
            exp_annotations:
              summary: {quoted(shown)}
              runbook: docs/operating.md#{name.lower()}
"""


VALUES = {
    "RingwayShedding": [("{{ $value | humanizePercentage }}", "5%")],
    "RingwayRegionHot": [("{{ $value }}", "0.9")],
    "RingwayWorkersMissing": [("{{ $value }}", "3")],
    "RingwayNoRoomToScale": [("{{ $value }}", "4")],
    "RingwayJobsFail": [("{{ $value | humanizePercentage }}", "10%")],
    "RingwayJobsRefused": [("{{ $value | humanizePercentage }}", "10%")],
    "RingwayWaitLong": [("{{ $value }}", "9.5")],
    "RingwayProbesWasted": [("{{ $value }}", "5")],
    "RingwayPlanSlow": [('{{ $value | printf "%.1f" }}', "1.0")],
    "RingwayInboxDeep": [("{{ $value }}", "20000")],
}


def tests():
    text = HEAD + "# Run with: promtool test rules ringway.rules.test.yml\nrule_files: [ringway.rules.yml]\n"
    text += "evaluation_interval: 15s\ntests:\n"
    for alert in ALERTS:
        text += case(alert[0], alert[6], True, alert) + case(alert[0], alert[7], False, alert)
    return text


def main():
    stale = False
    for name, text in (("ringway.rules.yml", rules()), ("ringway.rules.test.yml", tests())):
        path = FOLDER / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                print(f"{path} is not what tools/observability/alerts.py writes; run it")
                stale = True
        else:
            path.write_text(text)
    sys.exit(1 if stale else 0)


main()
