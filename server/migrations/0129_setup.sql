-- The tokens from before `setup_link_id`: the audit log says which link was the actor of their creation.
update scim_tokens t set setup_link_id = l.id
from setup_links l
join audit_events e on e.actor_id = 'setup:' || l.id and e.action = 'org.scim-token-created'
where t.from_setup_link and t.setup_link_id is null and t.org_id = l.org_id and e.target_id = t.org_id
  and e.after ->> 'start' = t.start and e.after ->> 'token' = t.name;
