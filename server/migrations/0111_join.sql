-- Whether the creator of a link had signed in recently. Other links lead to no group with roles.
alter table join_links add column may_give_roles boolean not null default false;
