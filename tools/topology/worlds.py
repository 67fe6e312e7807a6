#!/usr/bin/env python3
"""Writes topology/aws.yaml, topology/azure.yaml and topology/local.yaml from skyplane's latency grid.

  tools/topology/worlds.py --latency latency.csv --azure-locations azure_locations.tf.json [--out topology]
  tools/topology/worlds.py ... --fit      prints the distance formula that topology/rtt_estimate.h uses

latency.csv: https://github.com/skyplane-project/skyplane, profiles/latency.csv at commit 945dca27 (April 2022,
Apache-2.0). azure_locations.tf.json: https://github.com/Azure/terraform-azurerm-avm-utl-regions (MIT),
modules/cached-data/locations.tf.json. Coordinates of AWS regions are those of the city that AWS names.
RTTs are the mean of avg_rtt of the two directions, rounded to 0.1 ms.
"""
import argparse
import csv
import json
import math
import pathlib

# name: title, latitude, longitude, standard-time UTC offset, population weight, workers of tier `animate`
AWS = {
    "us-east-1": ("N. Virginia", 39.04, -77.49, "-05:00", 80, 120),
    "us-east-2": ("Ohio", 39.96, -83.00, "-05:00", 60, 80),
    "us-west-1": ("N. California", 37.34, -121.89, "-08:00", 40, 40),
    "us-west-2": ("Oregon", 45.84, -119.70, "-08:00", 40, 100),
    "ca-central-1": ("Montreal", 45.50, -73.57, "-05:00", 20, 24),
    "sa-east-1": ("Sao Paulo", -23.55, -46.63, "-03:00", 90, 64),
    "eu-west-1": ("Dublin", 53.35, -6.26, "+00:00", 30, 60),
    "eu-west-2": ("London", 51.51, -0.13, "+00:00", 50, 48),
    "eu-central-1": ("Frankfurt", 50.11, 8.68, "+01:00", 90, 90),
    "eu-south-1": ("Milan", 45.46, 9.19, "+01:00", 50, 32),
    "eu-north-1": ("Stockholm", 59.33, 18.07, "+01:00", 20, 32),
    "me-south-1": ("Bahrain", 26.23, 50.59, "+03:00", 60, 40),
    "af-south-1": ("Cape Town", -33.92, 18.42, "+02:00", 40, 24),
    "ap-south-1": ("Mumbai", 19.08, 72.88, "+05:30", 130, 80),
    "ap-southeast-1": ("Singapore", 1.35, 103.82, "+08:00", 40, 56),
    "ap-southeast-2": ("Sydney", -33.87, 151.21, "+10:00", 20, 24),
    "ap-southeast-3": ("Jakarta", -6.21, 106.85, "+07:00", 60, 32),
    "ap-east-1": ("Hong Kong", 22.32, 114.17, "+08:00", 20, 24),
    "ap-northeast-1": ("Tokyo", 35.68, 139.69, "+09:00", 30, 56),
    "ap-northeast-2": ("Seoul", 37.57, 126.98, "+09:00", 20, 32),
    "ap-northeast-3": ("Osaka", 34.69, 135.50, "+09:00", 10, 16),
}
AZURE = {  # coordinates are read from azure_locations.tf.json
    "eastus": ("Virginia", "-05:00", 90, 140),
    "northcentralus": ("Illinois", "-06:00", 70, 60),
    "westus": ("California", "-08:00", 50, 60),
    "westus3": ("Phoenix", "-07:00", 30, 80),
    "canadacentral": ("Toronto", "-05:00", 20, 24),
    "brazilsouth": ("Sao Paulo", "-03:00", 90, 64),
    "northeurope": ("Ireland", "+00:00", 10, 48),
    "uksouth": ("London", "+00:00", 50, 48),
    "westeurope": ("Netherlands", "+01:00", 40, 90),
    "francecentral": ("Paris", "+01:00", 50, 40),
    "germanywestcentral": ("Frankfurt", "+01:00", 60, 48),
    "switzerlandnorth": ("Zurich", "+01:00", 20, 24),
    "norwayeast": ("Oslo", "+01:00", 10, 24),
    "swedencentral": ("Gavle", "+01:00", 10, 40),
    "uaenorth": ("Dubai", "+04:00", 60, 40),
    "southafricanorth": ("Johannesburg", "+02:00", 50, 24),
    "centralindia": ("Pune", "+05:30", 140, 80),
    "eastasia": ("Hong Kong", "+08:00", 70, 48),
    "japaneast": ("Tokyo", "+09:00", 40, 56),
    "koreacentral": ("Seoul", "+09:00", 20, 32),
    "australiaeast": ("Sydney", "+10:00", 20, 30),
}
LOCAL = ["us-east-1", "us-east-2", "eu-west-1", "ap-northeast-1"]

HEADER = """\
# {what}
# Round-trip times: mean of avg_rtt of both directions, measured between virtual machines in April 2022 by the
# skyplane project (https://github.com/skyplane-project/skyplane, profiles/latency.csv, commit 945dca27,
# Apache-2.0). {coordinates}
# utcOffset is standard time. populationShare is an assumption, not a measurement: internet users of the
# world without mainland China, given to the nearest region and rounded. Workers are an example fleet.
# Written by tools/topology/worlds.py; edit that, or copy this file and edit the copy.
"""
CITY = "Coordinates: the city that AWS names for the region."
AZURE_COORDINATES = """Coordinates: Azure/terraform-azurerm-avm-utl-regions
# (modules/cached-data/locations.tf.json, MIT)."""

TIER = """\
---
apiVersion: ringway/v1
kind: Tier
metadata:
  name: {name}
spec:
  serviceMean: {service}
  deadline: {deadline}
  priorities: [{priorities}]
  metrics:
    - {{name: busy, aggregation: sum, capacity: 1, capacityPer: worker, maxAge: 30s}}
  overloadThreshold: {threshold}
  rings:
    - {{name: near, rttMsMax: {near}, unlockLoad: {threshold}}}
    - {{name: continent, rttMsMax: {continent}, unlockLoad: {unlock}}}
    - {{name: world, rttMsMax: 500, unlockLoad: 0.95}}
{extra}  regions:
{regions}
"""


def read_latency(path):
    rtt = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            rtt[row["src_region"], row["dst_region"]] = float(row["avg_rtt"])
    return rtt


def read_azure(path):
    with open(path) as stream:
        cached = json.load(stream)["locals"]["locations_cached"]["value"]
    places = {place["name"]: place["metadata"] for place in cached}
    return {
        name: (row[0], float(places[name]["latitude"]), float(places[name]["longitude"]), *row[1:])
        for name, row in AZURE.items()
    }


def mean_rtt(rtt, cloud, a, b):
    return (rtt[f"{cloud}:{a}", f"{cloud}:{b}"] + rtt[f"{cloud}:{b}", f"{cloud}:{a}"]) / 2


def shares(regions):
    """Weights as shares with three decimals that sum to 1; the largest takes what rounding leaves."""
    total = sum(row[4] for row in regions.values())
    rounded = {name: round(row[4] / total, 3) for name, row in regions.items()}
    largest = max(rounded, key=rounded.get)
    rounded[largest] = round(rounded[largest] + 1 - sum(rounded.values()), 3)
    return rounded


def world_yaml(name, cloud, regions, rtt):
    share = shares(regions)
    lines = ["apiVersion: ringway/v1", "kind: World", "metadata:", f"  name: {name}", "spec:", "  regions:"]
    for region, (title, latitude, longitude, offset, _, _) in regions.items():
        lines += [
            f"    - name: {region}",
            f"      title: {title}",
            f"      coordinates: {{latitudeDeg: {latitude}, longitudeDeg: {longitude}}}",
            f'      utcOffset: "{offset}"',
            f"      populationShare: {share[region]}",
        ]
    lines += ["  rtt:", "    withinRegionMs: 0.5", "    matrixMs:  # rows and columns in the order of the regions"]
    for a in regions:
        cells = ["0.5" if a == b else f"{mean_rtt(rtt, cloud, a, b):.1f}" for b in regions]
        lines.append("      - [" + ", ".join(f"{cell:>5}" for cell in cells) + "]")
    return "\n".join(lines) + "\n"


def workers_yaml(workers):
    width = max(len(name) for name in workers)
    return "\n".join(f"    - {{region: {name + ',':<{width + 1}} workers: {n}}}" for name, n in workers.items())


def cloud_yaml(cloud, regions, rtt, what, coordinates):
    header = HEADER.format(what=what, coordinates=coordinates)
    rings = dict(threshold=0.8, near=45, continent=110, unlock=0.85, extra="")
    animate = TIER.format(name="animate", service="5s", deadline="30s", priorities="interactive, batch",
                          regions=workers_yaml({n: row[5] for n, row in regions.items()}), **rings)
    # Pictures are quick, so they are served from fewer places and travel less far before that costs more.
    imagine = TIER.format(name="imagine", service="800ms", deadline="10s", priorities="interactive",
                          regions=workers_yaml({n: row[5] // 4 for n, row in regions.items() if row[5] >= 40}),
                          **rings)
    return header + world_yaml(cloud, cloud, regions, rtt) + animate + imagine


def local_yaml(rtt):
    regions = {name: AWS[name][:4] + (AWS[name][4], 5) for name in LOCAL}
    what = "Four regions of the AWS world for one machine: what `ringway demo` brings up."
    # Short jobs and a quick guard, because the demo shows in a minute what takes a real fleet an hour.
    extra = """\
  guard: {demandEwma: 0.3, stepMax: 0.35, staleAfter: 5s, missingAfter: 15s, drainPace: 5s}
  dispatch:
    mode: ledger
    offersMax: 256
    delay: {busyMin: 0.8, shareMax: 1.0, span: 250ms}
    backoff: {base: 20ms, multiplier: 2, capOfService: 0.5, fullJitter: true}
"""
    tier = TIER.format(name="animate", service="400ms", deadline="6s", priorities="interactive", threshold=0.75,
                       near=20, continent=100, unlock=0.8, extra=extra,
                       regions=workers_yaml({n: row[5] for n, row in regions.items()}))
    return HEADER.format(what=what, coordinates=CITY) + world_yaml("local", "aws", regions, rtt) + tier


def distance_km(a, b):
    lat_a, lat_b = math.radians(a[1]), math.radians(b[1])
    half_lat, half_lon = (lat_b - lat_a) / 2, math.radians(b[2] - a[2]) / 2
    h = math.sin(half_lat) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(half_lon) ** 2
    return 2 * 6371 * math.asin(min(1, math.sqrt(h)))


def fit(clouds, rtt):
    """Grid search for base and slope with the least mean relative error over all measured pairs."""
    pairs = [
        (distance_km(regions[a], regions[b]), mean_rtt(rtt, cloud, a, b))
        for cloud, regions in clouds.items() for a in regions for b in regions if a < b
    ]

    def errors(base, slope):
        return sorted(abs((base + slope * km) / ms - 1) for km, ms in pairs)

    candidates = [(base / 2, slope / 10000) for base in range(21) for slope in range(100, 220)]
    base, slope = min(candidates, key=lambda c: sum(errors(*c)))
    error = errors(base, slope)
    print(f"{len(pairs)} pairs: {base} ms + {slope} ms/km; relative error: median {error[len(error) // 2]:.3f}, "
          f"p90 {error[len(error) * 9 // 10]:.3f}, mean {sum(error) / len(error):.3f}, worst {error[-1]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", required=True)
    parser.add_argument("--azure-locations", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("topology"))
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    rtt = read_latency(options.latency)
    azure = read_azure(options.azure_locations)
    if options.fit:
        return fit({"aws": AWS, "azure": azure}, rtt)
    for name, text in {
        "aws": cloud_yaml("aws", AWS, rtt, "21 AWS regions with measured round-trip times.", CITY),
        "azure": cloud_yaml("azure", azure, rtt, "21 Azure regions with measured round-trip times.",
                            AZURE_COORDINATES),
        "local": local_yaml(rtt),
    }.items():
        (options.out / f"{name}.yaml").write_text(text)


if __name__ == "__main__":
    main()
