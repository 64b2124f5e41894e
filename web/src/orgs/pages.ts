// One file: together they are smaller than the list of their parts in the first load.
export { OrgActivityPage } from './ActivityPage.tsx'
export { OrgDomainsPage } from './DomainsPage.tsx'
export { OrgEntitlementsPage } from './EntitlementsPage.tsx'
export { OrgLinksPage, OwnOrgLinksPage } from './LinksPage.tsx'
export { OrgMembersPage, OwnOrgMembersPage } from './MembersPage.tsx'
export { OrgPage, OwnOrgPage } from './OrgPage.tsx'
