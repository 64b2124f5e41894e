-- For the quantity that an organisation has used, and for the purge of organisations.
create index entitlement_usage_of_org on entitlement_usage (org_id, entitlement_id, hour);
