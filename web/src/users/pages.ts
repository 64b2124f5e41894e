// One file: together they are smaller than the list of their parts in the first load.
export { UserActivityPage } from './UserActivityPage.tsx'
export { UserLoginsPage } from './UserLoginsPage.tsx'
export { UserPage } from './UserPage.tsx'
export { UserPreferencesPage } from './UserPreferencesPage.tsx'
export { UserSessionsPage } from './UserSessionsPage.tsx'
