import { lazyPage } from './page-load.ts'

export const createUser = lazyPage(() => import('../users/CreateUserPage.tsx'), 'CreateUserPage')
export const importUsers = lazyPage(() => import('../users/ImportUsersPage.tsx'), 'ImportUsersPage')
export const userAccess = lazyPage(() => import('../users/UserAccessPage.tsx'), 'UserAccessPage')
export const userActivity = lazyPage(() => import('../users/UserActivityPage.tsx'), 'UserActivityPage')
export const userLogins = lazyPage(() => import('../users/UserLoginsPage.tsx'), 'UserLoginsPage')
export const user = lazyPage(() => import('../users/UserPage.tsx'), 'UserPage')
export const userPreferences = lazyPage(() => import('../users/UserPreferencesPage.tsx'), 'UserPreferencesPage')
export const userSessions = lazyPage(() => import('../users/UserSessionsPage.tsx'), 'UserSessionsPage')
export const users = lazyPage(() => import('../users/UsersPage.tsx'), 'UsersPage')
