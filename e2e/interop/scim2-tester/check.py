"""Checks a SCIM service with scim2-tester; prints each check that is not a success. Arguments: URL, token."""

import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

url, token = sys.argv[1:]
http = Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
results = check_server(SyncSCIMClient(http))
for result in results:
    if result.status in (Status.ERROR, Status.CRITICAL, Status.DEVIATION):
        print(result.status.name, result.title, result.reason)
print(len(results), "checks")
