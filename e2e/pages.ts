import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import type { TestUser } from './fixtures.ts'
import { routes } from './routes.ts'

/** A page in one state: its path, its window title, and a text that appears once its data has loaded. */
export interface PageState {
  path: string
  title?: string | RegExp
  expectedText?: string | RegExp
}

/** Pages visited by one user in one browser. */
export interface Section {
  name: string
  user: TestUser
  pages: (page: Page) => Promise<PageState[]>
}

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')

async function post<T>(page: Page, path: string, data: object): Promise<T> {
  const response = await page.request.post(path, { headers, data })
  expect(response.ok(), `${path}: ${await response.text()}`).toBe(true)
  return response.json()
}

const fetchUserId = async (page: Page): Promise<string> =>
  (await (await page.request.get('/passport/apphelper/user')).json()).claims.sub

const fetchDevId = async (page: Page): Promise<string> =>
  (await (await page.request.get('/passport/admin/users?query=dev@passport.example')).json()).items[0].id

const uniqueName = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`

const createGroup = async (page: Page): Promise<{ id: string; name: string }> =>
  post(page, '/passport/groups', {
    name: uniqueName('Crew'),
    description: 'A crew of the browser tests',
    members: [await fetchUserId(page)],
  })

/** Creates an organisation with a domain, owned only by the caller. */
async function createOrg(page: Page): Promise<{ id: string; name: string }> {
  const name = uniqueName('Adventure Works')
  const domain = `${name.toLowerCase().replaceAll(' ', '-')}-with-a-long-name.example`
  const org = await post<{ id: string; name: string }>(page, '/passport/admin/orgs', { name, domains: [domain] })
  await post(page, `/passport/admin/orgs/${org.id}/members/add`, { members: [await fetchUserId(page)], role: 'owner' })
  return org
}

/** Creates a product of AWS Marketplace. */
const createProduct = async (page: Page): Promise<{ id: string; name: string }> => {
  const name = uniqueName('Stage')
  return post(page, '/passport/admin/awsproducts', {
    name,
    productCode: name.toLowerCase().replace(' ', '-'),
    pricingModel: 'contract-with-consumption',
    dimensions: [
      { key: 'seats', kind: 'entitled' },
      { key: 'streaming_hours', kind: 'both', unit: 'hours' },
    ],
    supportEmail: 'support@stage.example',
  })
}

/** Creates a quantity that an organisation of the caller has. */
async function createEntitlement(page: Page): Promise<{ id: string; name: string; orgId: string }> {
  const [name, org] = [uniqueName('Seats'), await createOrg(page)]
  const body = { name, key: name.toLowerCase().replace(' ', '.x'), kind: 'quantity', unit: 'seats' }
  const grants = [{ orgId: org.id, quantity: 25 }]
  const { id } = await post<{ id: string }>(page, '/passport/admin/entitlements', { ...body, grants })
  return { id, name, orgId: org.id }
}

/** Links a purchase by hand, which waits for AWS. */
const createSubscription = async (page: Page, productId: string): Promise<string> => {
  const { id: orgId } = await createOrg(page)
  const { id } = await post<{ id: string }>(page, '/passport/admin/awssubscriptions', {
    productId,
    orgId,
    customerAwsAccountId: '402177359982',
    licenseArn: `arn:aws:license-manager:us-east-1:402177359982:l-${Math.random().toString(16).slice(2)}`,
    note: 'Bought by phone',
  })
  return id
}

/**
 * Pages with larger layout shifts than others, by their paths, with the largest measured shift. Each entry is a defect of
 * the page: remove it with the defect.
 */
export const knownShifts: [pattern: RegExp, maxShift: number][] = []

/** Returns the page of a record and its tabs. */
const listTabs = (path: string, title: string | RegExp, ...tabs: string[]): PageState[] =>
  ['', ...tabs.map((tab) => `/${tab}`)].map((tab) => ({ path: `${path}${tab}`, title }))

/** Returns the matching routes of section 2 of the specification, without redirects. */
const listRoutes = (pattern: RegExp): PageState[] =>
  routes.flatMap(([path, , title, redirectTo]) => (!redirectTo && pattern.test(path) ? [{ path, title }] : []))

const tools = '/app/admin/tools'
const buildCheckPath = (query: string) => `${tools}/permissions/check?${query}`

/** Every page of Passport, grouped by user. */
export const sections: Section[] = [
  {
    name: 'the pages before sign-in',
    user: 'stranger',
    pages: async () => [
      { path: '/app/', title: '' },
      { path: '/app/admin', title: 'Not Found' },
      { path: '/app/login?returnUrl=%2Fapp%2Faccount', title: 'Not Found' },
      ...listRoutes(/^\/app\/(device|connect|setup|notfound|nothing)/),
      {
        path: '/app/account/marketplace',
        title: 'Set up your subscription',
        expectedText: 'No purchase to set up',
      },
      {
        path: '/app/account/marketplace/error?code=awsmp-token-expired',
        title: 'Marketplace',
        expectedText: 'This link has expired',
      },
      { path: '/app/join/unknown-invitation', title: 'Invitation', expectedText: 'Invitation not found' },
      { path: '/login' },
      { path: '/login?idp=local' },
      { path: '/idp/signup', title: 'Invitation required' },
      { path: '/idp/signup/code', title: 'Sign-up expired' },
      { path: '/login/callback/local?state=x' },
      { path: '/docs', title: 'Guides' },
      { path: '/support', title: /^Support/, expectedText: 'For help with' },
      { path: '/docs?q=token', title: 'Guides', expectedText: 'guides with “token”' },
      { path: '/docs/configuration', title: 'Configuration' },
      { path: '/docs/aws-marketplace', title: 'Products in AWS Marketplace' },
      { path: '/docs/personal-tokens', title: 'Personal tokens for your own programs' },
      { path: '/docs/your-first-browser-app', title: 'Sign users in from a browser app' },
      { path: '/docs/api', title: 'API reference' },
      { path: '/problems/not-signed-in', title: /^not-signed-in/ },
      { path: '/problems/unknown-code', title: /^Unknown error code/ },
    ],
  },
  {
    name: 'the pages of an account',
    user: 'max',
    pages: async (page) => {
      const [group, org] = [await createGroup(page), await createOrg(page)]
      return [
        { path: '/app/', title: '', expectedText: 'Sign-ins by result' },
        ...listRoutes(/^\/app\/account\//),
        { path: '/app/connect', title: 'Connect Account', expectedText: 'There is nothing to connect.' },
        { path: '/app/connect/metahorizon', title: 'Connect Account', expectedText: 'not available on this stack' },
        { path: '/app/account/profile?edit=true', title: 'Profile', expectedText: 'Letters of any script' },
        { path: '/app/account/access', title: 'My Access' },
        { path: '/app/account/groups', title: 'Groups', expectedText: group.name },
        { path: '/app/account/groups/create', title: 'Create Group' },
        ...listTabs(`/app/account/groups/${group.id}`, group.name, 'owners', 'joinlinks', 'settings'),
        { path: '/app/account/orgs', title: 'Organisations', expectedText: org.name },
        ...listTabs(`/app/account/orgs/${org.id}`, org.name, 'members', 'joinlinks'),
        { path: '/connect/endsession' },
      ]
    },
  },
  {
    name: 'the pages of users without roles',
    user: 'eve',
    pages: async () => [
      { path: '/app/', title: '', expectedText: 'No role' },
      { path: '/app/account/logins', title: 'Account' },
      { path: '/app/account/access', title: 'My Access' },
      { path: '/app/account/groups', title: 'Groups' },
      { path: '/app/account/orgs', title: 'Organisations' },
      { path: '/app/account/preferences', title: 'User Preferences' },
      { path: '/app/notfound', title: 'Not Found' },
    ],
  },
  {
    name: 'the pages of developers',
    user: 'dev',
    pages: async () => [
      ...listRoutes(/^\/app\/developer\//),
      { path: '/app/account/access', title: 'My Access', expectedText: 'Passport.Developer' },
      { path: '/app/account/profile', title: 'Profile' },
    ],
  },
  {
    name: 'the pages of users and roles',
    user: 'ada',
    pages: async (page) => [
      { path: '/app/', title: '', expectedText: 'Recent changes' },
      ...listRoutes(/^\/app\/admin\/(users|roles)/),
      { path: '/app/admin/users/import', title: 'Import Users' },
      { path: '/app/admin/users?q=nobody-has-this-name', title: 'Admin', expectedText: 'No users match' },
      ...listTabs(
        `/app/admin/users/${await fetchDevId(page)}`,
        'Dev Patel',
        'access',
        'logins',
        'sessions',
        'preferences',
        'activity',
      ),
      { path: '/app/admin/roles/Passport.Developer', title: 'Passport.Developer', expectedText: 'Dev Patel' },
      { path: '/app/admin/roles/Passport.Developer/activity', title: 'Passport.Developer' },
    ],
  },
  {
    name: 'the pages of groups and organisations',
    user: 'ada',
    pages: async (page) => {
      const [group, org] = [await createGroup(page), await createOrg(page)]
      return [
        ...listRoutes(/^\/app\/admin\/(groups|orgs)/),
        { path: '/app/admin/orgs/createentra?q=contoso.com', expectedText: 'ENTRA_CLOUDS' },
        { path: '/app/admin/groups/create', title: 'Create Group' },
        ...listTabs(
          `/app/admin/groups/${group.id}`,
          group.name,
          'owners',
          'roles',
          'joinlinks',
          'settings',
          'activity',
        ),
        ...listTabs(`/app/admin/orgs/${org.id}`, org.name, 'members', 'domains', 'joinlinks', 'activity'),
        { path: `/app/admin/orgs/${org.id}/provisioning`, title: org.name, expectedText: 'No tenant' },
      ]
    },
  },
  {
    name: 'the pages of the system and the marketplace',
    user: 'ada',
    pages: async (page) => {
      const name = uniqueName('orders').replace(' ', '-')
      const scopes = [{ name: `${name}.read`, description: 'See your orders', emphasize: true }]
      const body = { name, displayName: 'Orders', audience: `https://${name}.example`, scopes }
      const { id } = await post<{ id: string }>(page, '/passport/admin/identity/apis', body)
      const product = await createProduct(page)
      const subscription = `/app/admin/awssubscriptions/${await createSubscription(page, product.id)}`
      const entitlement = await createEntitlement(page)
      return [
        ...listRoutes(/^\/app\/admin\/(health|audit|trash|content|branding|cors|mail|identity|entitlements|aws)/),
        {
          path: '/app/admin/audit/signins/trace?q=Frame%20window%20timed%20out',
          title: 'Sign-in Trace',
          expectedText: 'Silent sign-in timed out',
        },
        { path: '/app/admin/mail?view=previews', title: 'Mail', expectedText: 'New sign-in to your' },
        {
          path: '/app/admin/mail?view=previews&preview=invitation&format=text',
          title: 'Mail',
          expectedText: 'Hello Nora Lind,',
        },
        ...listTabs(
          `/app/admin/entitlements/${entitlement.id}`,
          entitlement.name,
          'usage',
          'ledger',
          'settings',
          'activity',
        ),
        { path: `/app/admin/entitlements/${entitlement.id}/edit?at=2026-05-01`, expectedText: '1 May 2026' },
        { path: `/app/admin/orgs/${entitlement.orgId}/entitlements`, expectedText: entitlement.name },
        { path: '/app/account/entitlements', title: 'Entitlements', expectedText: entitlement.name },
        ...listTabs(`/app/admin/identity/apis/${id}`, 'Orders', 'activity'),
        { path: `/app/admin/identity/apis/${id}?edit=true`, title: 'Orders', expectedText: 'Claims in tokens' },
        { path: `/app/admin/awsproducts/${product.id}`, title: product.name, expectedText: 'streaming_hours' },
        { path: `/app/admin/awsproducts/${product.id}?edit=true`, title: product.name, expectedText: 'Pay as you go' },
        { path: subscription, title: product.name, expectedText: 'Bought by phone' },
        { path: `${subscription}?edit=true`, title: product.name, expectedText: 'Contact email' },
        { path: `${subscription}/usage`, title: product.name, expectedText: 'Nothing was reported in a closed hour' },
        {
          path: '/app/admin/awssubscriptions?view=events',
          title: 'Subscriptions',
          expectedText: 'No unmatched events',
        },
        {
          path: '/app/admin/awssubscriptions?view=simulator',
          title: 'Subscriptions',
          expectedText: 'Connected to AWS itself',
        },
        { path: '/app/admin/awssubscriptions?view=aws', title: 'Subscriptions', expectedText: 'Not compared yet' },
      ]
    },
  },
  {
    name: 'the pages of the tools',
    user: 'ada',
    pages: async (page) => {
      const response = await page.request.post('/passport/admin/tools/permissions/import', {
        headers: { ...headers, 'content-type': 'text/plain' },
        data: sample,
      })
      expect(response.status(), await response.text()).toBe(200)
      return [
        ...listRoutes(/^\/app\/admin\/tools\//),
        { path: `${tools}/tenantDiscovery?q=contoso.com`, expectedText: 'Not configured' },
        {
          path: buildCheckPath('subject=user:eve&permission=view&resource=document:roadmap'),
          title: 'Permission Checker',
          expectedText: /^What would/,
        },
        {
          path: buildCheckPath('subject=user:ada&permission=view&resource=document:roadmap&view=tree'),
          expectedText: /^What would/,
        },
        {
          path: buildCheckPath('subject=user:dev&permission=view&resource=document:payroll'),
          expectedText: /^What would/,
        },
        { path: `${tools}/permissions/lookupResources?subject=user:ada`, expectedText: 'handbook' },
        {
          path: `${tools}/permissions/lookupResources?subject=user:ada&with=user:mia&type=document&permission=view`,
          expectedText: 'payroll',
        },
        {
          path: `${tools}/permissions/lookupSubjects?resource=document:handbook&permission=view`,
          expectedText: 'Everyone',
        },
        { path: `${tools}/relations?view=graph&resourceType=document&depth=3&at=document:roadmap` },
        { path: `${tools}/relations?view=history` },
      ]
    },
  },
]
