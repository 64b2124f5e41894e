// One file: together they are smaller than the list of their parts in the first load.
export { GroupActivityPage } from './ActivityPage.tsx'
export { AdminMembersPage, AdminOwnersPage, OwnMembersPage, OwnOwnersPage } from './GroupUsersPage.tsx'
export { AdminLinksPage, OwnLinksPage } from './LinksPage.tsx'
export { GroupRolesPage } from './RolesPage.tsx'
export { AdminSettingsPage, OwnSettingsPage } from './SettingsPage.tsx'
