// First: the router reads the address.
import './address-secrets.ts'
import { type AnyRoute, createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { lazyPage } from '../ui/lazy-part.tsx'
import { currentUserQuery } from './current-user.ts'
import { guard, type Needs } from './guard.ts'
import { Layout } from './Layout.tsx'
import { MinimalLayout } from './MinimalLayout.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import { PagePending } from './PagePending.tsx'
import { showRouteTitle } from './page-title.ts'
import { setPageUser } from './page-user.ts'
import { queryClient } from './query-client.ts'
import { RouteError } from './RouteError.tsx'
import { parseSearch, stringifySearch } from './search.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
  interface Register {
    router: typeof router
  }
}

interface SectionOptions {
  /** The requirement that users must meet before any code of the section's pages is loaded. */
  needs?: Needs
  /** The title of pages without their own. */
  title?: string
}

/**
 * Creates a layout route without a path. Its guard applies to all of its pages, its title to those without their own.
 */
const createSection = <Parent extends AnyRoute, const Id extends string>(
  parent: Parent,
  id: Id,
  { needs, title }: SectionOptions,
) => createRoute({ getParentRoute: () => parent, id, beforeLoad: guard(needs), staticData: title ? { title } : {} })

/** Returns a function that creates pages below a route; it takes a module and its component, loaded on demand. */
const createPageFactory =
  <Parent extends AnyRoute>(parent: Parent) =>
  <const Path extends string, Name extends string>(
    path: Path,
    loadModule: () => Promise<Record<NoInfer<Name>, () => ReactNode>>,
    name: Name,
    title?: string,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: lazyPage(async () => (await loadModule())[name]),
      staticData: title ? { title } : {},
    })

/** Creates a route that redirects with its parameters, query and hash, after the guard of its section has admitted the user. */
const createRedirect = <Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  target: string,
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    beforeLoad: () => {
      throw redirect({ to: target, params: true, search: true, hash: true, replace: true } as never)
    },
  })

const root = createRootRoute({ component: Outlet })
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Layout })
const minimal = createRoute({ getParentRoute: () => root, id: 'minimal', component: MinimalLayout })

const publicPage = createPageFactory(shell)
/** Creates a Not Found page. It is part of the first load, because it must appear without a connection too. */
const createNotFoundPage = <const Path extends string>(path: Path) =>
  createRoute({ getParentRoute: () => shell, path, component: NotFoundPage, staticData: { title: 'Not Found' } })
const publicPages = [
  publicPage('/', () => import('./HomePage.tsx'), 'HomePage'),
  publicPage('/join/$joinId', () => import('../join/JoinPage.tsx'), 'JoinPage', 'Invitation'),
  publicPage('/device', () => import('../device-authorization/DevicePage.tsx'), 'DevicePage', 'Sign In a Device'),
  createNotFoundPage('/notfound'),
  createNotFoundPage('/$'),
  ...(import.meta.env.DEV ? [publicPage('/dev/ui', () => import('./UiPartsPage.tsx'), 'UiPartsPage', 'Parts')] : []),
]

const loadOrgPages = () => import('../orgs/pages.ts')
const loadBuyerPages = () => import('../marketplace/buyer-pages.ts')
const loadGroupPages = () => import('../groups/pages.ts')
const account = createSection(shell, 'account', { needs: 'signedIn' })
const ownGroup = createSection(account, 'group', { title: 'Group' })
const ownOrg = createSection(account, 'org', { title: 'Organisation' })
const accountPage = createPageFactory(account)
const ownGroupPage = createPageFactory(ownGroup)
const ownOrgPage = createPageFactory(ownOrg)
const accountPages = account.addChildren([
  createRedirect(account, '/account', '/account/logins'),
  accountPage('/account/logins', () => import('../accounts/LoginsPage.tsx'), 'LoginsPage', 'Account'),
  accountPage('/account/profile', () => import('../profile/ProfilePage.tsx'), 'ProfilePage', 'Profile'),
  accountPage('/account/access', () => import('../users/OwnAccessPage.tsx'), 'OwnAccessPage', 'My Access'),
  accountPage(
    '/account/preferences',
    () => import('../preferences/PreferencesPage.tsx'),
    'PreferencesPage',
    'User Preferences',
  ),
  accountPage(
    '/account/tokens',
    () => import('../personal-tokens/PersonalTokensPage.tsx'),
    'PersonalTokensPage',
    'Personal Tokens',
  ),
  accountPage('/account/subscriptions', loadBuyerPages, 'OwnSubscriptionsPage', 'Subscriptions'),
  accountPage('/account/groups', () => import('../groups/OwnGroupsPage.tsx'), 'OwnGroupsPage', 'Groups'),
  accountPage(
    '/account/groups/create',
    () => import('../groups/CreateGroupPage.tsx'),
    'OwnCreateGroupPage',
    'Create Group',
  ),
  ownGroup.addChildren([
    ownGroupPage('/account/groups/$groupId', loadGroupPages, 'OwnMembersPage'),
    ownGroupPage('/account/groups/$groupId/owners', loadGroupPages, 'OwnOwnersPage'),
    ownGroupPage('/account/groups/$groupId/joinlinks', loadGroupPages, 'OwnLinksPage'),
    ownGroupPage('/account/groups/$groupId/settings', loadGroupPages, 'OwnSettingsPage'),
  ]),
  accountPage(
    '/account/entitlements',
    () => import('../entitlements/OwnEntitlementsPage.tsx'),
    'OwnEntitlementsPage',
    'Entitlements',
  ),
  accountPage('/account/orgs', () => import('../orgs/AccountOrgsPage.tsx'), 'AccountOrgsPage', 'Organisations'),
  ownOrg.addChildren([
    ownOrgPage('/account/orgs/$orgId', loadOrgPages, 'OwnOrgPage'),
    ownOrgPage('/account/orgs/$orgId/members', loadOrgPages, 'OwnOrgMembersPage'),
    ownOrgPage('/account/orgs/$orgId/joinlinks', loadOrgPages, 'OwnOrgLinksPage'),
  ]),
])

const developer = createSection(shell, 'developer', { needs: 'developer' })
/**
 * Redirects `/developer` to `/developer/`. The router treats both as one route, so there cannot be a second one that
 * redirects here, and an unconditional redirect would loop.
 */
const developerIndex = createRoute({
  getParentRoute: () => developer,
  path: '/developer/',
  component: lazyPage(async () => (await import('./DeveloperPage.tsx')).DeveloperPage),
  beforeLoad: ({ location }) => {
    if (location.pathname.endsWith('/')) return
    throw redirect({ to: '/developer/', search: true, hash: true, replace: true } as never)
  },
  staticData: { title: 'Developer' },
})
const developerPage = createPageFactory(developer)
const loadDeviceFlowPages = () => import('../device-authorization/DeviceFlowPage.tsx')
const developerPages = developer.addChildren([
  developerIndex,
  developerPage(
    '/developer/preferences',
    () => import('../preferences/PreferencesPage.tsx'),
    'PreferencesPage',
    'User Preferences',
  ),
  developerPage(
    '/developer/tokens',
    () => import('../developer-tokens/DeveloperTokensPage.tsx'),
    'DeveloperTokensPage',
    'Developer Tokens',
  ),
  developerPage('/developer/deviceflowtest', loadDeviceFlowPages, 'DeviceFlowTestPage', 'Device Flow Test'),
  developerPage('/developer/enhanceddevice', loadDeviceFlowPages, 'EnhancedDevicePage', 'Enhanced Device Flow'),
])

const admin = createSection(shell, 'admin', { needs: 'admin' })
const user = createSection(admin, 'user', { title: 'User' })
const role = createSection(admin, 'role', { title: 'Role' })
const org = createSection(admin, 'org', { title: 'Organisation' })
const group = createSection(admin, 'group', { title: 'Group' })
const application = createSection(admin, 'application', { title: 'Application' })
const entitlement = createSection(admin, 'entitlement', { title: 'Edit Entitlement' })
const subscription = createSection(admin, 'subscription', { title: 'Subscription' })
const identityApi = createSection(admin, 'identity-api', { title: 'Identity API' })
const adminPage = createPageFactory(admin)
const userPage = createPageFactory(user)
const rolePage = createPageFactory(role)
const orgPage = createPageFactory(org)
const subscriptionPage = createPageFactory(subscription)
const groupPage = createPageFactory(group)
const applicationPage = createPageFactory(application)
const apiPage = createPageFactory(identityApi)
const entitlementPage = createPageFactory(entitlement)
const loadUserPages = () => import('../users/pages.ts')
const loadRolePages = () => import('../roles/pages.ts')
const loadApplicationPages = () => import('../clients/pages.ts')
const loadApiPages = () => import('../identity-apis/pages.ts')
const loadEntitlementPages = () => import('../entitlements/pages.ts')
const loadMarketplaceLists = () => import('../marketplace/lists.ts')
const loadMarketplaceRecords = () => import('../marketplace/records.ts')
const loadMarketplaceForms = () => import('../marketplace/forms.ts')
const loadTenantPages = () => import('./tenant-pages.ts')
const adminPages = admin.addChildren([
  createRedirect(admin, '/admin', '/admin/users'),
  adminPage('/admin/users', () => import('../users/UsersPage.tsx'), 'UsersPage', 'Admin'),
  adminPage('/admin/users/create', () => import('../users/CreateUserPage.tsx'), 'CreateUserPage', 'Create User'),
  adminPage('/admin/users/import', () => import('../users/ImportUsersPage.tsx'), 'ImportUsersPage', 'Import Users'),
  adminPage(
    '/admin/users/invitations',
    () => import('../invitations/InvitationsPage.tsx'),
    'InvitationsPage',
    'Invitations',
  ),
  adminPage(
    '/admin/users/invitations/create',
    () => import('../invitations/InvitePage.tsx'),
    'InvitePage',
    'Invite by Email',
  ),
  user.addChildren([
    userPage('/admin/users/$userId', loadUserPages, 'UserPage'),
    userPage('/admin/users/$userId/access', () => import('../users/UserAccessPage.tsx'), 'UserAccessPage'),
    userPage('/admin/users/$userId/logins', loadUserPages, 'UserLoginsPage'),
    userPage('/admin/users/$userId/sessions', loadUserPages, 'UserSessionsPage'),
    userPage('/admin/users/$userId/preferences', loadUserPages, 'UserPreferencesPage'),
    userPage('/admin/users/$userId/activity', loadUserPages, 'UserActivityPage'),
  ]),
  adminPage('/admin/roles', () => import('../roles/RolesPage.tsx'), 'RolesPage', 'Roles'),
  adminPage('/admin/roles/create', () => import('../roles/CreateRolePage.tsx'), 'CreateRolePage', 'Create Role'),
  role.addChildren([
    rolePage('/admin/roles/$name', loadRolePages, 'RolePage'),
    rolePage('/admin/roles/$name/activity', loadRolePages, 'RoleActivityPage'),
  ]),
  adminPage('/admin/health', () => import('../health/HealthPage.tsx'), 'HealthPage', 'Health'),
  adminPage('/admin/audit', () => import('../audit/AuditPage.tsx'), 'AuditPage', 'Audit'),
  adminPage('/admin/audit/signins', () => import('../audit/SignInsPage.tsx'), 'SignInsPage', 'Sign-ins'),
  adminPage(
    '/admin/audit/signins/trace',
    () => import('../sign-in-traces/SignInTracePage.tsx'),
    'SignInTracePage',
    'Sign-in Trace',
  ),
  adminPage('/admin/trash', () => import('../trash/TrashPage.tsx'), 'TrashPage', 'Trash'),
  createRedirect(admin, '/admin/bin', '/admin/trash'),
  adminPage('/admin/branding', () => import('../branding/BrandingPage.tsx'), 'BrandingPage', 'Branding'),
  adminPage('/admin/cors', () => import('../cors/CorsPage.tsx'), 'CorsPage', 'Allowed Origins'),
  adminPage('/admin/mail', () => import('../mail/MailPage.tsx'), 'MailPage', 'Mail'),
  adminPage('/admin/content', () => import('../content/ContentPage.tsx'), 'ContentPage', 'Static Content'),
  adminPage('/admin/orgs', () => import('../orgs/OrgsPage.tsx'), 'OrgsPage', 'Organisations'),
  adminPage('/admin/orgs/createentra', loadTenantPages, 'CreateEntraPage', 'Create Entra Org'),
  adminPage('/admin/orgs/create', () => import('../orgs/CreateOrgPage.tsx'), 'CreateOrgPage', 'Create Organisation'),
  org.addChildren([
    orgPage('/admin/orgs/$orgId', loadOrgPages, 'OrgPage'),
    orgPage('/admin/orgs/$orgId/members', loadOrgPages, 'OrgMembersPage'),
    orgPage('/admin/orgs/$orgId/domains', loadOrgPages, 'OrgDomainsPage'),
    orgPage('/admin/orgs/$orgId/entra', loadTenantPages, 'OrgEntraPage'),
    orgPage('/admin/orgs/$orgId/provisioning', loadTenantPages, 'OrgProvisioningPage'),
    orgPage('/admin/orgs/$orgId/joinlinks', loadOrgPages, 'OrgLinksPage'),
    orgPage('/admin/orgs/$orgId/entitlements', loadOrgPages, 'OrgEntitlementsPage'),
    orgPage('/admin/orgs/$orgId/activity', loadOrgPages, 'OrgActivityPage'),
  ]),
  adminPage('/admin/groups', () => import('../groups/GroupsPage.tsx'), 'GroupsPage', 'Groups'),
  adminPage(
    '/admin/groups/create',
    () => import('../groups/CreateGroupPage.tsx'),
    'AdminCreateGroupPage',
    'Create Group',
  ),
  group.addChildren([
    groupPage('/admin/groups/$groupId', loadGroupPages, 'AdminMembersPage'),
    groupPage('/admin/groups/$groupId/owners', loadGroupPages, 'AdminOwnersPage'),
    groupPage('/admin/groups/$groupId/roles', loadGroupPages, 'GroupRolesPage'),
    groupPage('/admin/groups/$groupId/joinlinks', loadGroupPages, 'AdminLinksPage'),
    groupPage('/admin/groups/$groupId/settings', loadGroupPages, 'AdminSettingsPage'),
    groupPage('/admin/groups/$groupId/activity', loadGroupPages, 'GroupActivityPage'),
  ]),
  adminPage(
    '/admin/identity/clients',
    () => import('../clients/ApplicationsPage.tsx'),
    'ApplicationsPage',
    'Applications',
  ),
  adminPage(
    '/admin/identity/clients/create',
    () => import('../clients/CreateApplicationPage.tsx'),
    'CreateApplicationPage',
    'Create Application',
  ),
  application.addChildren([
    applicationPage('/admin/identity/clients/$clientId', loadApplicationPages, 'ApplicationPage'),
    applicationPage('/admin/identity/clients/$clientId/activity', loadApplicationPages, 'ApplicationActivityPage'),
  ]),
  adminPage('/admin/identity/apis', () => import('../identity-apis/ApisPage.tsx'), 'ApisPage', 'Identity APIs'),
  identityApi.addChildren([
    apiPage('/admin/identity/apis/$apiId', loadApiPages, 'ApiPage'),
    apiPage('/admin/identity/apis/$apiId/activity', loadApiPages, 'ApiActivityPage'),
  ]),
  adminPage('/admin/entitlements', loadEntitlementPages, 'EntitlementsPage', 'Entitlements'),
  adminPage('/admin/entitlements/create', loadEntitlementPages, 'CreateEntitlementPage', 'Create Entitlement'),
  entitlement.addChildren([
    createRedirect(entitlement, '/admin/entitlements/$entitlementId', '/admin/entitlements/$entitlementId/edit'),
    entitlementPage('/admin/entitlements/$entitlementId/edit', loadEntitlementPages, 'GrantsPage'),
    entitlementPage('/admin/entitlements/$entitlementId/usage', loadEntitlementPages, 'UsagePage'),
    entitlementPage('/admin/entitlements/$entitlementId/ledger', loadEntitlementPages, 'LedgerPage'),
    entitlementPage('/admin/entitlements/$entitlementId/settings', loadEntitlementPages, 'SettingsPage'),
    entitlementPage('/admin/entitlements/$entitlementId/activity', loadEntitlementPages, 'EntitlementActivityPage'),
  ]),
  adminPage('/admin/awsproducts', loadMarketplaceLists, 'ProductsPage', 'Products'),
  adminPage('/admin/awsproducts/create', loadMarketplaceForms, 'CreateProductPage', 'Create Product'),
  adminPage('/admin/awsproducts/$productId', loadMarketplaceRecords, 'ProductPage', 'Product'),
  adminPage('/admin/awssubscriptions', loadMarketplaceLists, 'SubscriptionsPage', 'Subscriptions'),
  adminPage('/admin/awssubscriptions/create', loadMarketplaceForms, 'CreateSubscriptionPage', 'Create Subscription'),
  subscription.addChildren([
    subscriptionPage('/admin/awssubscriptions/$subscriptionId', loadMarketplaceRecords, 'SubscriptionPage'),
    subscriptionPage('/admin/awssubscriptions/$subscriptionId/usage', loadMarketplaceRecords, 'SubscriptionUsagePage'),
  ]),
  createRedirect(admin, '/admin/tools', '/admin/tools/tenantDiscovery'),
  adminPage('/admin/tools/tenantDiscovery', loadTenantPages, 'TenantDiscoveryPage', 'Tenant Discovery'),
  adminPage(
    '/admin/tools/permissions',
    () => import('../permission-schema/PermissionsPage.tsx'),
    'PermissionsPage',
    'Permissions',
  ),
  adminPage(
    '/admin/tools/permissions/check',
    () => import('../permission-check/CheckPage.tsx'),
    'CheckPage',
    'Permission Checker',
  ),
  adminPage(
    '/admin/tools/permissions/lookupResources',
    () => import('../permission-lookup/LookupPage.tsx'),
    'LookupResourcesPage',
    'What can you access?',
  ),
  adminPage(
    '/admin/tools/permissions/lookupSubjects',
    () => import('../permission-lookup/LookupPage.tsx'),
    'LookupSubjectsPage',
    'Who can access that?',
  ),
  adminPage(
    '/admin/tools/relations',
    () => import('../relations/RelationsPage.tsx'),
    'RelationsPage',
    'Relation Viewer',
  ),
])

const minimalPage = createPageFactory(minimal)
const loadConnectPages = () => import('../connections/pages.ts')
const login = createSection(minimal, 'login', { needs: 'signedIn' })
const minimalPages = [
  // Buyers come here from AWS Marketplace, most of them without an account.
  minimalPage('/account/marketplace', loadBuyerPages, 'SetUpPage', 'Set up your subscription'),
  minimalPage('/account/marketplace/error', loadBuyerPages, 'LandingErrorPage', 'Marketplace'),
  // Without a guard, which would carry the response of a service in `returnUrl`. Meta's connector is `metahorizon`.
  minimalPage('/connect', loadConnectPages, 'ConnectPage', 'Connect Account'),
  minimalPage('/connect/$connector', loadConnectPages, 'ConnectServicePage', 'Connect Account'),
  minimalPage('/connect/$connector/callback', loadConnectPages, 'ConnectCallbackPage', 'Connect Account'),
  minimalPage('/connect/$connector/undo', loadConnectPages, 'UndoMovePage', 'Undo Move'),
  minimalPage('/setup', () => import('../setup/SetupPage.tsx'), 'SetupPage', 'Set Up Your Organisation'),
  login.addChildren([
    createPageFactory(login)('/login', () => import('./LoginPage.tsx'), 'LoginPage', 'Redirecting...'),
  ]),
  minimalPage('/reauthenticated', () => import('./ReauthenticatedPage.tsx'), 'ReauthenticatedPage', 'Signed In'),
]

/** Every path of the app; compare with section 2 of the specification. */
export const router = createRouter({
  routeTree: root.addChildren([
    shell.addChildren([...publicPages, accountPages, developerPages, adminPages]),
    minimal.addChildren(minimalPages),
  ]),
  basepath: '/app',
  trailingSlash: 'preserve',
  caseSensitive: true,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

router.subscribe('onResolved', () => {
  showRouteTitle(router.state.matches.findLast(({ staticData }) => staticData.title)?.staticData.title)
  setPageUser(queryClient.getQueryData(currentUserQuery.queryKey) ?? null)
})
