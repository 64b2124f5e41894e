-- The support code of a request, as the first 8 digits of an id that the server has drawn: a caller can choose the trace
-- id, and so what its start finds. Null for older events and traces, whose code is the start of the trace id.
alter table audit_events add column support_code text;
drop index audit_events_by_support_code;
create index audit_events_by_support_code on audit_events (coalesce(support_code, left(trace_id, 8)));

alter table sign_in_traces add column support_code text;
drop index sign_in_traces_by_support_code;
create index sign_in_traces_by_support_code on sign_in_traces (coalesce(support_code, left(trace_id, 8)));
create index sign_in_traces_by_trace_id on sign_in_traces (trace_id);

create or replace view sign_in_events as
  select id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id, support_code
  from audit_events;

drop view audit_entries;
create view audit_entries as
  select e.*,
    coalesce(
      (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.actor_id),
      (select c.name from clients c where e.actor_id = 'client:' || c.client_id),
      (select o.name || ' (SCIM)' from orgs o where e.actor_id = 'scim:' || o.id),
      case when e.actor_id like 'setup:%' then 'A set-up link' end
    ) as actor_name,
    case e.target_kind
      when 'user' then (select coalesce(u.display_name, u.username, u.email) from users u where u.id = e.target_id)
      when 'org' then (select o.name from orgs o where o.id = e.target_id)
      when 'group' then (select g.name from groups g where g.id = e.target_id)
      when 'client' then (select c.name from clients c where c.client_id = e.target_id)
      when 'identity-api' then (select a.display_name from identity_apis a where a.id = e.target_id)
      when 'aws-product' then (select p.name from aws_products p where p.id = e.target_id)
      when 'aws-subscription' then (select p.name || ' for account ' || s.customer_aws_account_id
        from aws_subscriptions s join aws_products p on p.id = s.product_id where s.id = e.target_id)
      when 'entitlement' then (select n.name from entitlements n where n.id = e.target_id)
      when 'role' then e.target_id
      when 'content' then content_name(split_part(e.target_id, '/', 1), split_part(e.target_id, '/', 2))
    end as target_name
  from audit_events e;
