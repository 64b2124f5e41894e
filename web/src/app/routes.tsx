import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { windowTitle } from './brand.ts'
import { currentUserQuery } from './current-user.ts'
import { guard, type Needs } from './guard.ts'
import { Layout } from './Layout.tsx'
import { MinimalLayout } from './MinimalLayout.tsx'
import { PagePending } from './PagePending.tsx'
import { openPageAs } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { RouteError } from './RouteError.tsx'
import { parseSearch, stringifySearch } from './search.ts'

/** What the table says of a page beside its path. A page without a title has that of the deepest one above it. */
interface PageOptions {
  title?: string
  needs?: Needs
}
type Load = () => Promise<ComponentType>

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
  interface Register {
    router: typeof router
  }
}

const root = createRootRoute({ component: Outlet })
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Layout })
const minimal = createRoute({ getParentRoute: () => root, id: 'minimal', component: MinimalLayout })

const optionsOf = (load: Load, { title, needs }: PageOptions) => ({
  component: lazyRouteComponent(() => load().then((page) => ({ default: page }))),
  beforeLoad: guard(needs),
  staticData: title ? { title } : {},
})

/** A page in the shell. */
const page = <const P extends string>(path: P, load: Load, options: PageOptions = {}) =>
  createRoute({ getParentRoute: () => shell, path, ...optionsOf(load, options) })

/** A page with nothing around it. */
const bare = <const P extends string>(path: P, load: Load, options: PageOptions = {}) =>
  createRoute({ getParentRoute: () => minimal, path, ...optionsOf(load, options) })

/** A page whose room is still to come. */
const later = <const P extends string>(path: P, options: PageOptions) => page(path, notBuilt, options)
const notBuilt: Load = async () => (await import('./NotBuiltPage.tsx')).NotBuiltPage

/** A path that leads on, with its query and hash, once it is clear that whoever asks may go there. */
const leadsTo = <const P extends string>(path: P, target: string, needs: Needs) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    beforeLoad: async ({ location }) => {
      await guard(needs)({ location })
      throw redirect({ to: target, search: true, hash: true, replace: true } as never)
    },
  })

/**
 * `/developer` leads to `/developer/`. To the router they are one route, so it looks at the address: two routes would
 * not redirect to each other, and a redirect of the one would go round for ever.
 */
const developerIndex = createRoute({
  getParentRoute: () => shell,
  path: '/developer/',
  component: lazyRouteComponent(() => import('./DeveloperPage.tsx'), 'DeveloperPage'),
  beforeLoad: async ({ location }) => {
    await guard('developer')({ location })
    if (location.pathname.endsWith('/')) return
    throw redirect({ to: '/developer/', search: true, hash: true, replace: true } as never)
  },
  staticData: { title: 'Developer' },
})

const home: Load = async () => (await import('./HomePage.tsx')).HomePage
const logins: Load = async () => (await import('../accounts/LoginsPage.tsx')).LoginsPage
const profile: Load = async () => (await import('../profile/ProfilePage.tsx')).ProfilePage
const audit: Load = async () => (await import('../audit/AuditPage.tsx')).AuditPage
const bin: Load = async () => (await import('../bin/BinPage.tsx')).BinPage
const preferences: Load = async () => (await import('../preferences/PreferencesPage.tsx')).PreferencesPage
const groups: Load = async () => (await import('../groups/GroupsPage.tsx')).GroupsPage
const groupMembers: Load = async () => (await import('../groups/PeoplePage.tsx')).AdminMembersPage
const groupOwners: Load = async () => (await import('../groups/PeoplePage.tsx')).AdminOwnersPage
const groupRoles: Load = async () => (await import('../groups/RolesPage.tsx')).GroupRolesPage
const groupSettings: Load = async () => (await import('../groups/SettingsPage.tsx')).AdminSettingsPage
const groupActivity: Load = async () => (await import('../groups/ActivityPage.tsx')).GroupActivityPage
const ownGroups: Load = async () => (await import('../groups/OwnGroupsPage.tsx')).OwnGroupsPage
const ownGroupMembers: Load = async () => (await import('../groups/PeoplePage.tsx')).OwnMembersPage
const ownGroupOwners: Load = async () => (await import('../groups/PeoplePage.tsx')).OwnOwnersPage
const ownGroupSettings: Load = async () => (await import('../groups/SettingsPage.tsx')).OwnSettingsPage
const device: Load = async () => (await import('../device-authorization/DevicePage.tsx')).DevicePage
const deviceFlowTest: Load = async () => (await import('../device-authorization/DeviceFlowPage.tsx')).DeviceFlowTestPage
const enhancedDevice: Load = async () => (await import('../device-authorization/DeviceFlowPage.tsx')).EnhancedDevicePage
const developerTokens: Load = async () =>
  (await import('../developer-tokens/DeveloperTokensPage.tsx')).DeveloperTokensPage
const roles: Load = async () => (await import('../roles/RolesPage.tsx')).RolesPage
const createRole: Load = async () => (await import('../roles/CreateRolePage.tsx')).CreateRolePage
const role: Load = async () => (await import('../roles/RolePage.tsx')).RolePage
const roleActivity: Load = async () => (await import('../roles/RolePage.tsx')).RoleActivityPage
const invitations: Load = async () => (await import('../invitations/InvitationsPage.tsx')).InvitationsPage
const invite: Load = async () => (await import('../invitations/InvitePage.tsx')).InvitePage
const orgs: Load = async () => (await import('../orgs/OrgsPage.tsx')).OrgsPage
const createOrg: Load = async () => (await import('../orgs/CreateOrgPage.tsx')).CreateOrgPage
const org =
  (name: keyof typeof import('../orgs/OrgPage.tsx')): Load =>
  async () =>
    (await import('../orgs/OrgPage.tsx'))[name]
const join: Load = async () => (await import('../join/JoinPage.tsx')).JoinPage
const users: Load = async () => (await import('../users/UsersPage.tsx')).UsersPage
const createUser: Load = async () => (await import('../users/CreateUserPage.tsx')).CreateUserPage
const importUsers: Load = async () => (await import('../users/ImportUsersPage.tsx')).ImportUsersPage
const user: Load = async () => (await import('../users/UserPage.tsx')).UserPage
const userAccess: Load = async () => (await import('../users/UserAccessPage.tsx')).UserAccessPage
const userLogins: Load = async () => (await import('../users/UserLoginsPage.tsx')).UserLoginsPage
const userSessions: Load = async () => (await import('../users/UserSessionsPage.tsx')).UserSessionsPage
const userActivity: Load = async () => (await import('../users/UserActivityPage.tsx')).UserActivityPage
const userPreferences: Load = async () => (await import('../users/UserPreferencesPage.tsx')).UserPreferencesPage
const login: Load = async () => (await import('./LoginPage.tsx')).LoginPage
const notFound: Load = async () => (await import('./NotFoundPage.tsx')).NotFoundPage
const uiParts: Load = async () => (await import('./UiPartsPage.tsx')).UiPartsPage
const listParts: Load = async () => (await import('./ListPartsPage.tsx')).ListPartsPage
const recordParts: Load = async () => (await import('./RecordPartsPage.tsx')).RecordPartsPage

/** Every path of the app: to be read beside section 2 of the specification. */
const pages = shell.addChildren([
  page('/', home),
  leadsTo('/account', '/account/logins', 'signedIn'),
  page('/account/logins', logins, { needs: 'signedIn', title: 'Account' }),
  page('/account/profile', profile, { needs: 'signedIn', title: 'Profile' }),
  page('/account/groups', ownGroups, { needs: 'signedIn', title: 'Groups' }),
  page('/account/groups/$groupId', ownGroupMembers, { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/owners', ownGroupOwners, { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/settings', ownGroupSettings, { needs: 'signedIn', title: 'Group' }),
  page('/account/preferences', preferences, { needs: 'signedIn', title: 'User Preferences' }),
  page('/account/orgs', org('AccountOrgsPage'), { needs: 'signedIn', title: 'Organisations' }),
  page('/account/orgs/$orgId', org('OwnOrgPage'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/members', org('OwnOrgMembersPage'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/joinlinks', org('OwnOrgLinksPage'), { needs: 'signedIn', title: 'Organisation' }),
  page('/join/$joinId', join, { title: 'Invitation' }),
  developerIndex,
  page('/developer/preferences', preferences, { needs: 'developer', title: 'User Preferences' }),
  page('/developer/tokens', developerTokens, { needs: 'developer', title: 'Developer Tokens' }),
  page('/developer/deviceflowtest', deviceFlowTest, { needs: 'developer', title: 'Device Flow Test' }),
  page('/developer/enhanceddevice', enhancedDevice, { needs: 'developer', title: 'Enhanced Device Flow' }),
  page('/device', device, { title: 'Sign a device in' }),
  leadsTo('/admin', '/admin/users', 'admin'),
  page('/admin/users', users, { needs: 'admin', title: 'Admin' }),
  page('/admin/users/create', createUser, { needs: 'admin', title: 'Create User' }),
  page('/admin/users/import', importUsers, { needs: 'admin', title: 'Import Users' }),
  page('/admin/users/$userId', user, { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/access', userAccess, { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/logins', userLogins, { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/sessions', userSessions, { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/preferences', userPreferences, { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/activity', userActivity, { needs: 'admin', title: 'User' }),
  page('/admin/users/invitations', invitations, { needs: 'admin', title: 'Invitations' }),
  page('/admin/users/invitations/create', invite, { needs: 'admin', title: 'Invite by E-mail' }),
  page('/admin/roles', roles, { needs: 'admin', title: 'Roles' }),
  page('/admin/roles/create', createRole, { needs: 'admin', title: 'Create Role' }),
  page('/admin/roles/$name', role, { needs: 'admin', title: 'Role' }),
  page('/admin/roles/$name/activity', roleActivity, { needs: 'admin', title: 'Role' }),
  later('/admin/health', { needs: 'admin', title: 'Health' }),
  page('/admin/audit', audit, { needs: 'admin', title: 'Audit' }),
  page('/admin/bin', bin, { needs: 'admin', title: 'Bin' }),
  later('/admin/content', { needs: 'admin', title: 'Static Content' }),
  page('/admin/orgs', orgs, { needs: 'admin', title: 'Organisations' }),
  later('/admin/orgs/createentra', { needs: 'admin', title: 'Create Entra Org' }),
  page('/admin/orgs/create', createOrg, { needs: 'admin', title: 'Create Organisation' }),
  page('/admin/orgs/$orgId', org('OrgPage'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/members', org('OrgMembersPage'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/domains', org('OrgDomainsPage'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/joinlinks', org('OrgLinksPage'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/activity', org('OrgActivityPage'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/groups', groups, { needs: 'admin', title: 'Groups' }),
  page('/admin/groups/$groupId', groupMembers, { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/owners', groupOwners, { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/roles', groupRoles, { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/settings', groupSettings, { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/activity', groupActivity, { needs: 'admin', title: 'Group' }),
  later('/admin/identity/apis', { needs: 'admin', title: 'Identity APIs' }),
  later('/admin/identity/apis/$apiId', { needs: 'admin', title: 'Identity API' }),
  later('/admin/entitlements', { needs: 'admin', title: 'Entitlements' }),
  later('/admin/entitlements/create', { needs: 'admin', title: 'Create Entitlement' }),
  later('/admin/entitlements/$entitlementId/edit', { needs: 'admin', title: 'Edit Entitlement' }),
  later('/admin/awsproducts', { needs: 'admin', title: 'Products' }),
  later('/admin/awsproducts/create', { needs: 'admin', title: 'Create Product' }),
  later('/admin/awssubscriptions', { needs: 'admin', title: 'Subscriptions' }),
  later('/admin/awssubscriptions/create', { needs: 'admin', title: 'Create Subscription' }),
  leadsTo('/admin/tools', '/admin/tools/tenantDiscovery', 'admin'),
  later('/admin/tools/tenantDiscovery', { needs: 'admin', title: 'Tenant Discovery' }),
  later('/admin/tools/permissions', { needs: 'admin', title: 'Permissions' }),
  later('/admin/tools/permissions/check', { needs: 'admin', title: 'Permission Checker' }),
  later('/admin/tools/permissions/lookupResources', { needs: 'admin', title: 'What can you access?' }),
  later('/admin/tools/permissions/lookupSubjects', { needs: 'admin', title: 'Who can access that?' }),
  later('/admin/tools/relations', { needs: 'admin', title: 'Relation Viewer' }),
  page('/notfound', notFound, { title: 'Not Found' }),
  page('/$', notFound, { title: 'Not Found' }),
  ...(import.meta.env.DEV
    ? [
        page('/dev/ui', uiParts, { title: 'Parts' }),
        page('/dev/list', listParts, { title: 'Parts of Lists' }),
        page('/dev/record', recordParts, { title: 'Parts of Records' }),
      ]
    : []),
])
const barePages = minimal.addChildren([
  bare('/connect/metahorizon', notBuilt, { title: 'Connect Account' }),
  bare('/connect/metahorizon/callback', notBuilt, { title: 'Connect Account' }),
  bare('/login', login, { needs: 'signedIn', title: 'Redirecting...' }),
])

export const router = createRouter({
  routeTree: root.addChildren([pages, barePages]),
  basepath: '/app',
  trailingSlash: 'preserve',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

router.subscribe('onResolved', () => {
  document.title = windowTitle(router.state.matches.findLast(({ staticData }) => staticData.title)?.staticData.title)
  openPageAs(queryClient.getQueryData(currentUserQuery.queryKey) ?? null)
})
