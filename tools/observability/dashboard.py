#!/usr/bin/env python3
"""Writes deploy/observability/grafana-dashboard.json: a fleet on one page, from whole to part.

Each panel is a line of PANELS. Grafana wants a hundred fields for each; they are the same everywhere.
Run without arguments after a change; --check exits 1 when the file is not what would be written.
"""
import json
import pathlib
import sys

PATH = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "observability" / "grafana-dashboard.json"
SOURCE = {"type": "prometheus", "uid": "${source}"}
TIER = 'tier=~"$tier"'
PLACE = 'tier=~"$tier",region=~"$region"'

# A row, or: title, kind, unit, width of 24, (legend, expression)...
PANELS = [
    "Fleet",
    ("Demand", "stat", "reqps", 4, ("", "sum(ringway_controller_tier_demand_rps{%s})" % TIER)),
    ("Away", "stat", "percentunit", 4,
     ("", "sum(ringway_controller_tier_away_rps{%s}) / sum(ringway_controller_tier_demand_rps{%s})" % (TIER, TIER))),
    ("Shed", "stat", "percentunit", 4,
     ("", "sum(ringway_controller_tier_shed_rps{%s}) / sum(ringway_controller_tier_demand_rps{%s})" % (TIER, TIER))),
    ("Round-trip cost over the optimum", "stat", "percentunit", 4,
     ("", "sum(ringway_controller_tier_rtt_cost{%s}) / (sum(ringway_controller_tier_rtt_cost_optimal{%s}) > 0) - 1"
      % (TIER, TIER))),
    ("Workers alive", "stat", "percentunit", 4,
     ("", "sum(ringway_controller_region_workers_seen{%s}) / sum(ringway_controller_region_workers{%s})"
      % (PLACE, PLACE))),
    ("Table", "stat", "none", 4, ("version", "max(ringway_controller_table_version)"),
     ("epoch", "max(ringway_controller_epoch)")),
    "Regions",
    ("Load, and the threshold", "timeseries", "percentunit", 12,
     ("{{region}}", "ringway_controller_region_load{%s}" % PLACE),
     ("threshold", "ringway_controller_tier_overload_threshold{%s}" % TIER)),
    ("Home load", "timeseries", "percentunit", 12,
     ("{{region}}", "ringway_controller_region_home_load{%s}" % PLACE)),
    ("Demand", "timeseries", "reqps", 12, ("{{region}}", "ringway_controller_region_demand_rps{%s}" % PLACE)),
    ("Served", "timeseries", "reqps", 12,
     ("{{region}}", "ringway_controller_region_served_rps{%s}" % PLACE)),
    ("Workers alive, and wanted where they are scaled", "timeseries", "none", 24,
     ("{{region}} alive", "ringway_controller_region_workers_seen{%s}" % PLACE),
     ("{{region}} wanted", "ringway_controller_region_workers_wanted{%s}" % PLACE)),
    ("Drained", "timeseries", "percentunit", 8,
     ("{{region}}", "ringway_controller_region_drained_share{%s} > 0" % PLACE)),
    ("Inputs: 0 fresh, 1 stale, 2 missing", "timeseries", "none", 8,
     ("{{region}}", "ringway_controller_region_input_health{%s}" % PLACE)),
    ("Load of one more request per second", "timeseries", "none", 8,
     ("{{region}}", "ringway_controller_region_load_cost{%s}" % PLACE)),
    "Jobs at the routers",
    ("Jobs by outcome", "timeseries", "reqps", 12,
     ("{{outcome}}", 'sum by (outcome) (rate(ringway_router_requests_total{via="client",%s}[1m]))' % TIER)),
    ("Forwarded, by target and reason", "timeseries", "reqps", 12,
     ("{{to}} {{reason}}", "sum by (to, reason) (rate(ringway_router_forwards_total[1m]))")),
    ("Wait until a worker starts", "timeseries", "s", 8,
     ("median", "histogram_quantile(0.5, sum by (le) (rate(ringway_router_queue_wait_seconds_bucket{%s}[5m])))" % TIER),
     ("p95", "histogram_quantile(0.95, sum by (le) (rate(ringway_router_queue_wait_seconds_bucket{%s}[5m])))" % TIER)),
    ("Entry to end", "timeseries", "s", 8,
     ("median",
      "histogram_quantile(0.5, sum by (le) (rate(ringway_router_request_duration_seconds_bucket{%s}[5m])))" % TIER),
     ("p95",
      "histogram_quantile(0.95, sum by (le) (rate(ringway_router_request_duration_seconds_bucket{%s}[5m])))" % TIER)),
    ("Jobs waiting", "timeseries", "none", 8,
     ("{{tier}}", "sum by (tier) (ringway_router_queue_depth{%s})" % TIER)),
    ("Offers for each job served", "timeseries", "none", 8,
     ("offers", 'sum(rate(ringway_router_offers_total[5m])) / sum(rate(ringway_router_offers_total{result="done"}[5m]))')),
    ("Retry budget, lowest router", "timeseries", "none", 8,
     ("{{tier}}", "min by (tier) (ringway_router_retry_budget{%s})" % TIER)),
    ("Busy share of known workers", "timeseries", "percentunit", 8,
     ("{{tier}}", "avg by (tier) (ringway_router_busy_share{%s})" % TIER)),
    "Workers",
    ("Busy", "timeseries", "percentunit", 8, ("busy", "avg(rate(ringway_worker_busy_seconds_total[1m]))")),
    ("Jobs by outcome", "timeseries", "reqps", 8,
     ("{{outcome}}", "sum by (outcome) (rate(ringway_worker_jobs_total[1m]))")),
    ("Offers refused", "timeseries", "reqps", 8,
     ("{{reason}}", "sum by (reason) (rate(ringway_worker_rejected_total[1m]))")),
    ("Unhealthy or draining", "timeseries", "none", 8, ("unhealthy", "count(ringway_worker_healthy == 0) or vector(0)"),
     ("draining", "sum(ringway_worker_draining)")),
    ("Service time", "timeseries", "s", 8,
     ("median", "histogram_quantile(0.5, sum by (le) (rate(ringway_worker_service_seconds_bucket[5m])))"),
     ("p95", "histogram_quantile(0.95, sum by (le) (rate(ringway_worker_service_seconds_bucket[5m])))")),
    ("Payloads and results", "timeseries", "Bps", 8, ("in", "sum(rate(ringway_worker_payload_bytes_total[1m]))"),
     ("out", "sum(rate(ringway_worker_result_bytes_total[1m]))")),
    "Control",
    ("Routers connected", "timeseries", "none", 8, ("streams", "ringway_controller_streams"),
     ("listed", "ringway_controller_routers"), ("hear a controller", "sum(ringway_router_controller_connected)")),
    ("Time of a step", "timeseries", "s", 8,
     ("p99", "histogram_quantile(0.99, sum by (le) (rate(ringway_controller_step_seconds_bucket[5m])))")),
    ("Findings", "timeseries", "none", 8,
     ("{{kind}}", "sum by (kind) (rate(ringway_controller_findings_total[5m]))")),
]


def panel(spec, number, x, y):
    title, kind, unit, width, *queries = spec
    letters = "ABCDEFGH"
    return {
        "id": number, "title": title, "type": kind, "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": width, "h": 4 if kind == "stat" else 8},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}} if kind == "timeseries" else {},
        "targets": [{"refId": letters[i], "datasource": SOURCE, "expr": expr, "legendFormat": legend}
                    for i, (legend, expr) in enumerate(queries)],
    }


def variable(name, metric):
    return {"name": name, "type": "query", "datasource": SOURCE, "query": "label_values(%s, %s)" % (metric, name),
            "includeAll": True, "multi": True, "current": {"text": "All", "value": "$__all"}, "refresh": 2}


def dashboard():
    panels, x, y, height = [], 0, 0, 0
    for spec in PANELS:
        if isinstance(spec, str) or x + spec[3] > 24:
            x, y = 0, y + height
        if isinstance(spec, str):
            panels.append({"id": len(panels) + 1, "title": spec, "type": "row", "collapsed": False, "panels": [],
                           "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}})
            y, height = y + 1, 0
            continue
        panels.append(panel(spec, len(panels) + 1, x, y))
        x, height = x + spec[3], panels[-1]["gridPos"]["h"]
    source = {"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    return {"uid": "ringway-fleet", "title": "Ringway fleet", "tags": ["ringway"], "schemaVersion": 38, "version": 1,
            "refresh": "15s", "time": {"from": "now-1h", "to": "now"}, "timezone": "browser", "editable": True,
            "templating": {"list": [source, variable("tier", "ringway_controller_tier_demand_rps"),
                                    variable("region", "ringway_controller_region_load")]},
            "panels": panels}


text = json.dumps(dashboard(), indent=1) + "\n"
if "--check" not in sys.argv:
    PATH.write_text(text)
elif not PATH.exists() or PATH.read_text() != text:
    sys.exit(f"{PATH} is not what tools/observability/dashboard.py writes; run it")
