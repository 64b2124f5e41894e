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
import { type Load, pageIn } from './page-load.ts'
import { openPageAs } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { RouteError } from './RouteError.tsx'
import { parseSearch, stringifySearch } from './search.ts'

/** What the table says of a page beside its path. A page without a title has that of the deepest one above it. */
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
const notBuilt = pageIn(() => import('./NotBuiltPage.tsx'), 'NotBuiltPage')

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

const home = pageIn(() => import('./HomePage.tsx'), 'HomePage')
const logins = pageIn(() => import('../accounts/LoginsPage.tsx'), 'LoginsPage')
const profile = pageIn(() => import('../profile/ProfilePage.tsx'), 'ProfilePage')
const preferences = pageIn(() => import('../preferences/PreferencesPage.tsx'), 'PreferencesPage')
const device = pageIn(() => import('../device-authorization/DevicePage.tsx'), 'DevicePage')
const deviceFlowTest = pageIn(() => import('../device-authorization/DeviceFlowPage.tsx'), 'DeviceFlowTestPage')
const enhancedDevice = pageIn(() => import('../device-authorization/DeviceFlowPage.tsx'), 'EnhancedDevicePage')
const developerTokens = pageIn(() => import('../developer-tokens/DeveloperTokensPage.tsx'), 'DeveloperTokensPage')
const join = pageIn(() => import('../join/JoinPage.tsx'), 'JoinPage')
const login = pageIn(() => import('./LoginPage.tsx'), 'LoginPage')
const notFound = pageIn(() => import('./NotFoundPage.tsx'), 'NotFoundPage')
/** A page of the directory. Most visits open none of them: they need not even know where those lie. */
const inDirectory =
  (name: keyof typeof import('./directory-pages.ts')): Load =>
  async () =>
    (await import('./directory-pages.ts'))[name]()
/** A page of the first room that an administrator comes to: it does not wait for where the others lie. */
const ofUsers =
  (name: keyof typeof import('./user-pages.ts')): Load =>
  async () =>
    (await import('./user-pages.ts'))[name]()

/** Every path of the app: to be read beside section 2 of the specification. */
const pages = shell.addChildren([
  page('/', home),
  leadsTo('/account', '/account/logins', 'signedIn'),
  page('/account/logins', logins, { needs: 'signedIn', title: 'Account' }),
  page('/account/profile', profile, { needs: 'signedIn', title: 'Profile' }),
  page('/account/access', inDirectory('ownAccess'), { needs: 'signedIn', title: 'My Access' }),
  page('/account/groups', inDirectory('ownGroups'), { needs: 'signedIn', title: 'Groups' }),
  page('/account/groups/$groupId', inDirectory('ownGroupMembers'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/owners', inDirectory('ownGroupOwners'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/joinlinks', inDirectory('ownGroupLinks'), { needs: 'signedIn', title: 'Group' }),
  page('/account/groups/$groupId/settings', inDirectory('ownGroupSettings'), { needs: 'signedIn', title: 'Group' }),
  page('/account/preferences', preferences, { needs: 'signedIn', title: 'User Preferences' }),
  page('/account/orgs', inDirectory('ownOrgs'), { needs: 'signedIn', title: 'Organisations' }),
  page('/account/orgs/$orgId', inDirectory('ownOrg'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/members', inDirectory('ownOrgMembers'), { needs: 'signedIn', title: 'Organisation' }),
  page('/account/orgs/$orgId/joinlinks', inDirectory('ownOrgLinks'), { needs: 'signedIn', title: 'Organisation' }),
  page('/join/$joinId', join, { title: 'Invitation' }),
  developerIndex,
  page('/developer/preferences', preferences, { needs: 'developer', title: 'User Preferences' }),
  page('/developer/tokens', developerTokens, { needs: 'developer', title: 'Developer Tokens' }),
  page('/developer/deviceflowtest', deviceFlowTest, { needs: 'developer', title: 'Device Flow Test' }),
  page('/developer/enhanceddevice', enhancedDevice, { needs: 'developer', title: 'Enhanced Device Flow' }),
  page('/device', device, { title: 'Sign a device in' }),
  leadsTo('/admin', '/admin/users', 'admin'),
  page('/admin/users', ofUsers('users'), { needs: 'admin', title: 'Admin' }),
  page('/admin/users/create', ofUsers('createUser'), { needs: 'admin', title: 'Create User' }),
  page('/admin/users/import', ofUsers('importUsers'), { needs: 'admin', title: 'Import Users' }),
  page('/admin/users/$userId', ofUsers('user'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/access', ofUsers('userAccess'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/logins', ofUsers('userLogins'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/sessions', ofUsers('userSessions'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/preferences', ofUsers('userPreferences'), { needs: 'admin', title: 'User' }),
  page('/admin/users/$userId/activity', ofUsers('userActivity'), { needs: 'admin', title: 'User' }),
  page('/admin/users/invitations', inDirectory('invitations'), { needs: 'admin', title: 'Invitations' }),
  page('/admin/users/invitations/create', inDirectory('invite'), { needs: 'admin', title: 'Invite by E-mail' }),
  page('/admin/roles', inDirectory('roles'), { needs: 'admin', title: 'Roles' }),
  page('/admin/roles/create', inDirectory('createRole'), { needs: 'admin', title: 'Create Role' }),
  page('/admin/roles/$name', inDirectory('role'), { needs: 'admin', title: 'Role' }),
  page('/admin/roles/$name/activity', inDirectory('roleActivity'), { needs: 'admin', title: 'Role' }),
  later('/admin/health', { needs: 'admin', title: 'Health' }),
  page('/admin/audit', inDirectory('audit'), { needs: 'admin', title: 'Audit' }),
  page('/admin/bin', inDirectory('bin'), { needs: 'admin', title: 'Bin' }),
  later('/admin/content', { needs: 'admin', title: 'Static Content' }),
  page('/admin/orgs', inDirectory('orgs'), { needs: 'admin', title: 'Organisations' }),
  later('/admin/orgs/createentra', { needs: 'admin', title: 'Create Entra Org' }),
  page('/admin/orgs/create', inDirectory('createOrg'), { needs: 'admin', title: 'Create Organisation' }),
  page('/admin/orgs/$orgId', inDirectory('org'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/members', inDirectory('orgMembers'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/domains', inDirectory('orgDomains'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/joinlinks', inDirectory('orgLinks'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/orgs/$orgId/activity', inDirectory('orgActivity'), { needs: 'admin', title: 'Organisation' }),
  page('/admin/groups', inDirectory('groups'), { needs: 'admin', title: 'Groups' }),
  page('/admin/groups/$groupId', inDirectory('groupMembers'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/owners', inDirectory('groupOwners'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/roles', inDirectory('groupRoles'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/joinlinks', inDirectory('groupLinks'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/settings', inDirectory('groupSettings'), { needs: 'admin', title: 'Group' }),
  page('/admin/groups/$groupId/activity', inDirectory('groupActivity'), { needs: 'admin', title: 'Group' }),
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
  page('/admin/tools/tenantDiscovery', inDirectory('tenantDiscovery'), { needs: 'admin', title: 'Tenant Discovery' }),
  page('/admin/tools/permissions', inDirectory('permissions'), { needs: 'admin', title: 'Permissions' }),
  page('/admin/tools/permissions/check', inDirectory('permissionCheck'), {
    needs: 'admin',
    title: 'Permission Checker',
  }),
  page('/admin/tools/permissions/lookupResources', inDirectory('lookUpResources'), {
    needs: 'admin',
    title: 'What can you access?',
  }),
  page('/admin/tools/permissions/lookupSubjects', inDirectory('lookUpSubjects'), {
    needs: 'admin',
    title: 'Who can access that?',
  }),
  page('/admin/tools/relations', inDirectory('relations'), { needs: 'admin', title: 'Relation Viewer' }),
  page('/notfound', notFound, { title: 'Not Found' }),
  page('/$', notFound, { title: 'Not Found' }),
  ...(import.meta.env.DEV
    ? [
        page(
          '/dev/ui',
          pageIn(() => import('./UiPartsPage.tsx'), 'UiPartsPage'),
          { title: 'Parts' },
        ),
        page(
          '/dev/list',
          pageIn(() => import('./ListPartsPage.tsx'), 'ListPartsPage'),
          { title: 'Parts of Lists' },
        ),
        page(
          '/dev/record',
          pageIn(() => import('./RecordPartsPage.tsx'), 'RecordPartsPage'),
          { title: 'Parts of Records' },
        ),
      ]
    : []),
])
const barePages = minimal.addChildren([
  bare('/connect', notBuilt, { title: 'Connect Account' }),
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
