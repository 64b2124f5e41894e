import { pageIn } from './page-load.ts'

export const createUser = pageIn(() => import('../users/CreateUserPage.tsx'), 'CreateUserPage')
export const importUsers = pageIn(() => import('../users/ImportUsersPage.tsx'), 'ImportUsersPage')
export const userAccess = pageIn(() => import('../users/UserAccessPage.tsx'), 'UserAccessPage')
export const userActivity = pageIn(() => import('../users/UserActivityPage.tsx'), 'UserActivityPage')
export const userLogins = pageIn(() => import('../users/UserLoginsPage.tsx'), 'UserLoginsPage')
export const user = pageIn(() => import('../users/UserPage.tsx'), 'UserPage')
export const userPreferences = pageIn(() => import('../users/UserPreferencesPage.tsx'), 'UserPreferencesPage')
export const userSessions = pageIn(() => import('../users/UserSessionsPage.tsx'), 'UserSessionsPage')
export const users = pageIn(() => import('../users/UsersPage.tsx'), 'UsersPage')
