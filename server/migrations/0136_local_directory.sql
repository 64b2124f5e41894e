-- Whether the user has proven the email. By an enrolment link that was handed over they have not.
alter table directory_people add column email_verified boolean not null default true;
