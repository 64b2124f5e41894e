import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { windowTitle } from './brand.ts'
import { currentUserQuery } from './current-user.ts'
import { guard, type Needs } from './guard.ts'
import { Layout } from './Layout.tsx'
import { MinimalLayout } from './MinimalLayout.tsx'
import { PagePending } from './PagePending.tsx'
import { lazyPage, type PageLoader } from './page-load.ts'
import { setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { RouteError } from './RouteError.tsx'
import { parseSearch, stringifySearch } from './search.ts'

/** The options of a page besides its path. A page without a title inherits that of its closest ancestor. */
interface PageOptions {
  title?: string
  needs?: Needs
}

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

const routeOptions = (load: PageLoader, { title, needs }: PageOptions) => ({
  component: lazyRouteComponent(() => load().then((page) => ({ default: page }))),
  beforeLoad: guard(needs),
  staticData: title ? { title } : {},
})

/** A page in the shell. */
const page = <const P extends string>(path: P, load: PageLoader, options: PageOptions = {}) =>
  createRoute({ getParentRoute: () => shell, path, ...routeOptions(load, options) })

/** A page with the minimal layout. */
const minimalPage = <const P extends string>(path: P, load: PageLoader, options: PageOptions = {}) =>
  createRoute({ getParentRoute: () => minimal, path, ...routeOptions(load, options) })

/** A page whose feature is not built yet. */
const unbuiltPage = <const P extends string>(path: P, options: PageOptions) => page(path, notBuilt, options)
const notBuilt = lazyPage(() => import('./NotBuiltPage.tsx'), 'NotBuiltPage')

/** A path that redirects, keeping its query and hash, after the guard has admitted the user. */
const redirectPage = <const P extends string>(path: P, target: string, needs: Needs) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    beforeLoad: async ({ location }) => {
      await guard(needs)({ location })
      throw redirect({ to: target, search: true, hash: true, replace: true } as never)
    },
  })

/**
 * `/developer` redirects to `/developer/`. The router treats them as one route, so this checks the pathname: two routes
 * would not redirect to each other, and an unconditional redirect would loop.
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

const home = lazyPage(() => import('./HomePage.tsx'), 'HomePage')
const logins = lazyPage(() => import('../accounts/LoginsPage.tsx'), 'LoginsPage')
const profile = lazyPage(() => import('../profile/ProfilePage.tsx'), 'ProfilePage')
const preferences = lazyPage(() => import('../preferences/PreferencesPage.tsx'), 'PreferencesPage')
const device = lazyPage(() => import('../device-authorization/DevicePage.tsx'), 'DevicePage')
const deviceFlowTest = lazyPage(() => import('../device-authorization/DeviceFlowPage.tsx'), 'DeviceFlowTestPage')
const enhancedDevice = lazyPage(() => import('../device-authorization/DeviceFlowPage.tsx'), 'EnhancedDevicePage')
const developerTokens = lazyPage(() => import('../developer-tokens/DeveloperTokensPage.tsx'), 'DeveloperTokensPage')
const join = lazyPage(() => import('../join/JoinPage.tsx'), 'JoinPage')
const login = lazyPage(() => import('./LoginPage.tsx'), 'LoginPage')
const reauthenticated = lazyPage(() => import('./ReauthenticatedPage.tsx'), 'ReauthenticatedPage')
const notFound = lazyPage(() => import('./NotFoundPage.tsx'), 'NotFoundPage')
/** Loads a page of the directory. Most visits open none, so their loaders are separate. */
const directoryPage =
  (name: keyof typeof import('./directory-pages.ts')): PageLoader =>
  async () =>
    (await import('./directory-pages.ts'))[name]()
/** Loads a page of the users feature, usually an administrator's first, without the other directory loaders. */
const usersPage =
  (name: keyof typeof import('./user-pages.ts')): PageLoader =>
  async () =>
    (await import('./user-pages.ts'))[name]()

/** Every path of the app; compare with section 2 of the specification. */
const pages = shell.addChildren([
  page('/', home),
  redirectPage('/account', '/account/logins', 'signedIn'),
  page('/account/logins', logins, { needs: 'signedIn', title: 'Account' }),
  page('/account/profile', profile, { needs: 'signedIn', title: 'Profile' }),
  page('/account/access', directoryPage('ownAccess'), { needs: 'signedIn', title: 'My Access' }),
  page('/account/groups', directoryPage('ownGroups'), { needs: 'signedIn', title: 'Groups' }),
  page('/account/groups/$groupId', directoryPage('ownGroupMembers'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/owners', directoryPage('ownGroupOwners'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/joinlinks', directoryPage('ownGroupLinks'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/settings', directoryPage('ownGroupSettings'), { needs: 'signedIn', title: 'Group' }),
  page('/account/preferences', preferences, { needs: 'signedIn', title: 'User Preferences' }),
  page('/account/orgs', directoryPage('ownOrgs'), { needs: 'signedIn', title: 'Organisations' }),
  page('/account/orgs/$orgId', directoryPage('ownOrg'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/members', directoryPage('ownOrgMembers'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/joinlinks', directoryPage('ownOrgLinks'), { needs: 'signedIn', title: 'Organisation' }),
  page('/join/$joinId', join, { title: 'Invitation' }),
  developerIndex,
  page('/developer/preferences', preferences, { needs: 'developer', title: 'User Preferences' }),
  page('/developer/tokens', developerTokens, { needs: 'developer', title: 'Developer Tokens' }),
  page('/developer/deviceflowtest', deviceFlowTest, { needs: 'developer', title: 'Device Flow Test' }),
  page('/developer/enhanceddevice', enhancedDevice, { needs: 'developer', title: 'Enhanced Device Flow' }),
  page('/device', device, { title: 'Sign In a Device' }),
  redirectPage('/admin', '/admin/users', 'admin'),
  page('/admin/users', usersPage('users'), { needs: 'admin', title: 'Admin' }),
  page('/admin/users/create', usersPage('createUser'), { needs: 'admin', title: 'Create User' }),
  page('/admin/users/import', usersPage('importUsers'), { needs: 'admin', title: 'Import Users' }),
  page('/admin/users/$userId', usersPage('user'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/access', usersPage('userAccess'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/logins', usersPage('userLogins'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/sessions', usersPage('userSessions'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/preferences', usersPage('userPreferences'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/activity', usersPage('userActivity'), { needs: 'admin', title: 'User' }),
  page('/admin/users/invitations', directoryPage('invitations'), { needs: 'admin', title: 'Invitations' }),
  page('/admin/users/invitations/create', directoryPage('invite'), { needs: 'admin', title: 'Invite by Email' }),
  page('/admin/roles', directoryPage('roles'), { needs: 'admin', title: 'Roles' }),
  page('/admin/roles/create', directoryPage('createRole'), { needs: 'admin', title: 'Create Role' }),
  page('/admin/roles/$name', directoryPage('role'), { needs: 'admin', title: 'Role' }),
  page('/admin/roles/$name/activity', directoryPage('roleActivity'), { needs: 'admin', title: 'Role' }),
  unbuiltPage('/admin/health', { needs: 'admin', title: 'Health' }),
  page('/admin/audit', directoryPage('audit'), { needs: 'admin', title: 'Audit' }),
  page('/admin/trash', directoryPage('trash'), { needs: 'admin', title: 'Trash' }),
  redirectPage('/admin/bin', '/admin/trash', 'admin'),
  unbuiltPage('/admin/content', { needs: 'admin', title: 'Static Content' }),
  page('/admin/orgs', directoryPage('orgs'), { needs: 'admin', title: 'Organisations' }),
  unbuiltPage('/admin/orgs/createentra', { needs: 'admin', title: 'Create Entra Org' }),
  page('/admin/orgs/create', directoryPage('createOrg'), { needs: 'admin', title: 'Create Organisation' }),
  page('/admin/orgs/$orgId', directoryPage('org'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/members', directoryPage('orgMembers'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/domains', directoryPage('orgDomains'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/joinlinks', directoryPage('orgLinks'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/activity', directoryPage('orgActivity'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/groups', directoryPage('groups'), { needs: 'admin', title: 'Groups' }),
  page('/admin/groups/$groupId', directoryPage('groupMembers'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/owners', directoryPage('groupOwners'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/roles', directoryPage('groupRoles'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/joinlinks', directoryPage('groupLinks'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/settings', directoryPage('groupSettings'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/activity', directoryPage('groupActivity'), { needs: 'admin', title: 'Group' }),
  unbuiltPage('/admin/identity/apis', { needs: 'admin', title: 'Identity APIs' }),
  unbuiltPage('/admin/identity/apis/$apiId', { needs: 'admin', title: 'Identity API' }),
  unbuiltPage('/admin/entitlements', { needs: 'admin', title: 'Entitlements' }),
  unbuiltPage('/admin/entitlements/create', { needs: 'admin', title: 'Create Entitlement' }),
  unbuiltPage('/admin/entitlements/$entitlementId/edit', { needs: 'admin', title: 'Edit Entitlement' }),
  unbuiltPage('/admin/awsproducts', { needs: 'admin', title: 'Products' }),
  unbuiltPage('/admin/awsproducts/create', { needs: 'admin', title: 'Create Product' }),
  unbuiltPage('/admin/awssubscriptions', { needs: 'admin', title: 'Subscriptions' }),
  unbuiltPage('/admin/awssubscriptions/create', { needs: 'admin', title: 'Create Subscription' }),
  redirectPage('/admin/tools', '/admin/tools/tenantDiscovery', 'admin'),
  page('/admin/tools/tenantDiscovery', directoryPage('tenantDiscovery'), { needs: 'admin', title: 'Tenant Discovery' }),
  page('/admin/tools/permissions', directoryPage('permissions'), { needs: 'admin', title: 'Permissions' }),
  page('/admin/tools/permissions/check', directoryPage('permissionCheck'), {
    needs: 'admin',
    title: 'Permission Checker',
  }),
  page('/admin/tools/permissions/lookupResources', directoryPage('lookUpResources'), {
    needs: 'admin',
    title: 'What can you access?',
  }),
  page('/admin/tools/permissions/lookupSubjects', directoryPage('lookUpSubjects'), {
    needs: 'admin',
    title: 'Who can access that?',
  }),
  page('/admin/tools/relations', directoryPage('relations'), { needs: 'admin', title: 'Relation Viewer' }),
  page('/notfound', notFound, { title: 'Not Found' }),
  page('/$', notFound, { title: 'Not Found' }),
  ...(import.meta.env.DEV
    ? [
        page(
          '/dev/ui',
          lazyPage(() => import('./UiPartsPage.tsx'), 'UiPartsPage'),
          { title: 'Parts' },
        ),
        page(
          '/dev/list',
          lazyPage(() => import('./ListPartsPage.tsx'), 'ListPartsPage'),
          { title: 'Parts of Lists' },
        ),
        page(
          '/dev/record',
          lazyPage(() => import('./RecordPartsPage.tsx'), 'RecordPartsPage'),
          { title: 'Parts of Records' },
        ),
      ]
    : []),
])
const minimalPages = minimal.addChildren([
  minimalPage('/connect', notBuilt, { title: 'Connect Account' }),
  minimalPage('/connect/metahorizon', notBuilt, { title: 'Connect Account' }),
  minimalPage('/connect/metahorizon/callback', notBuilt, { title: 'Connect Account' }),
  minimalPage('/login', login, { needs: 'signedIn', title: 'Redirecting...' }),
  minimalPage('/reauthenticated', reauthenticated, { title: 'Signed In' }),
])

export const router = createRouter({
  routeTree: root.addChildren([pages, minimalPages]),
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
  setPageUser(queryClient.getQueryData(currentUserQuery.queryKey) ?? null)
})
