-- Users as they are listed among the members of a role, with the status that the list of users has.
create or replace view role_people as
  select id, display_name, username, email, disabled_at is not null as disabled, sort_name,
    coalesce(display_name, username, email, id) as name,
    case when disabled_at is not null then 'disabled' when activated_at is null then 'invited' else 'active' end as status
  from users where deleted_at is null;
