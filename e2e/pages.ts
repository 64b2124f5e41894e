import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import type { Who } from './cast.ts'
import { routes } from './routes.ts'

/** A page in one state: its address, the title of its window, and a text that shows that its data has arrived. */
export interface PageState {
  path: string
  title?: string | RegExp
  shows?: string | RegExp
}

/** Pages that one person opens in one browser. */
export interface Section {
  name: string
  who: Who
  pages: (page: Page) => Promise<PageState[]>
}

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')

async function post<T>(page: Page, path: string, data: object): Promise<T> {
  const answer = await page.request.post(path, { headers, data })
  expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true)
  return answer.json()
}

const idOf = async (page: Page): Promise<string> =>
  (await (await page.request.get('/passport/apphelper/user')).json()).claims.sub

const idOfDev = async (page: Page): Promise<string> =>
  (await (await page.request.get('/passport/admin/users?query=dev@passport.example')).json()).items[0].id

const aName = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`

const makeGroup = async (page: Page): Promise<{ id: string; name: string }> =>
  post(page, '/passport/groups', {
    name: aName('Crew'),
    description: 'All that there is to see',
    members: [await idOf(page)],
  })

/** An organisation with a domain, whose only owner is the caller. */
async function makeOrg(page: Page): Promise<{ id: string; name: string }> {
  const name = aName('Adventure Works')
  const domain = `${name.toLowerCase().replaceAll(' ', '-')}-with-a-long-name.example`
  const org = await post<{ id: string; name: string }>(page, '/passport/admin/orgs', { name, domains: [domain] })
  await post(page, `/passport/admin/orgs/${org.id}/members/add`, { members: [await idOf(page)], role: 'owner' })
  return org
}

/**
 * Pages that move more than others once their data is there, and the largest shift measured, by the ends of their
 * addresses. Each entry is a fault of the page: remove it with the fault.
 */
export const knownShifts: [pattern: RegExp, most: number][] = [
  [/\/account\/logins$/, 0.3],
  [/\/groups\/[^/]+(\/owners)?$/, 0.2],
  [/\/orgs\/[^/]+\/members$/, 0.4],
  [/\/admin\/users\/[^/]+\/access$/, 0.25],
  [/\/admin\/audit$/, 0.2],
  [/\/tools\/permissions$/, 0.5],
  [/\/tools\/relations(\?.*)?$/, 0.2],
]

/** The pages of a record: its own and those of its tabs. */
const tabsOf = (path: string, title: string | RegExp, ...tabs: string[]): PageState[] =>
  ['', ...tabs.map((tab) => `/${tab}`)].map((tab) => ({ path: `${path}${tab}`, title }))

/** The routes of section 2 that match, without those that lead to others. */
const routesOf = (pattern: RegExp): PageState[] =>
  routes.flatMap(([path, , title, leadsTo]) => (!leadsTo && pattern.test(path) ? [{ path, title }] : []))

const tools = '/app/admin/tools'
const question = (text: string) => `${tools}/permissions/check?${text}`

/** Every page that Passport has, by who opens it. */
export const sections: Section[] = [
  {
    name: 'the pages in front of sign-in',
    who: 'stranger',
    pages: async () => [
      { path: '/app/', title: '' },
      { path: '/app/admin', title: 'Not Found' },
      { path: '/app/login?returnUrl=%2Fapp%2Faccount', title: 'Not Found' },
      ...routesOf(/^\/app\/(device|connect|notfound|nothing)/),
      { path: '/app/join/there-never-was-such-a-thing', title: 'Invitation', shows: 'There is no such invitation' },
      { path: '/login' },
      { path: '/login?idp=local' },
      { path: '/login/callback/local?state=x' },
    ],
  },
  {
    name: 'the pages of an account',
    who: 'max',
    pages: async (page) => {
      const [group, org] = [await makeGroup(page), await makeOrg(page)]
      return [
        ...routesOf(/^\/app\/account\//),
        { path: '/app/account/access', title: 'My Access' },
        { path: '/app/account/groups', title: 'Groups', shows: group.name },
        ...tabsOf(`/app/account/groups/${group.id}`, group.name, 'owners', 'joinlinks', 'settings'),
        { path: '/app/account/orgs', title: 'Organisations', shows: org.name },
        ...tabsOf(`/app/account/orgs/${org.id}`, org.name, 'members', 'joinlinks'),
        { path: '/connect/endsession' },
      ]
    },
  },
  {
    name: 'the pages of people without and with roles',
    who: 'eve',
    pages: async () => [
      { path: '/app/', title: '', shows: 'No role' },
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
    who: 'dev',
    pages: async () => [
      ...routesOf(/^\/app\/developer\//),
      { path: '/app/account/access', title: 'My Access', shows: 'Passport.Developer' },
      { path: '/app/account/profile', title: 'Profile' },
    ],
  },
  {
    name: 'users and roles',
    who: 'ada',
    pages: async (page) => [
      { path: '/app/', title: '', shows: 'Ada Lovelace' },
      ...routesOf(/^\/app\/admin\/(users|roles)/),
      { path: '/app/admin/users/import', title: 'Import Users' },
      { path: '/app/admin/users?q=nobody-has-this-name', title: 'Admin', shows: 'No people match' },
      ...tabsOf(
        `/app/admin/users/${await idOfDev(page)}`,
        'Dev Patel',
        'access',
        'logins',
        'sessions',
        'preferences',
        'activity',
      ),
      { path: '/app/admin/roles/Passport.Developer', title: 'Passport.Developer', shows: 'Dev Patel' },
      { path: '/app/admin/roles/Passport.Developer/activity', title: 'Passport.Developer' },
    ],
  },
  {
    name: 'groups and organisations',
    who: 'ada',
    pages: async (page) => {
      const [group, org] = [await makeGroup(page), await makeOrg(page)]
      return [
        ...routesOf(/^\/app\/admin\/(groups|orgs)/),
        ...tabsOf(`/app/admin/groups/${group.id}`, group.name, 'owners', 'roles', 'joinlinks', 'settings', 'activity'),
        ...tabsOf(`/app/admin/orgs/${org.id}`, org.name, 'members', 'domains', 'joinlinks', 'activity'),
      ]
    },
  },
  {
    name: 'the system and the marketplace',
    who: 'ada',
    pages: async () => routesOf(/^\/app\/admin\/(health|audit|bin|content|identity|entitlements|aws)/),
  },
  {
    name: 'the tools',
    who: 'ada',
    pages: async (page) => {
      const taken = await page.request.post('/passport/admin/tools/permissions/import', {
        headers: { ...headers, 'content-type': 'text/plain' },
        data: sample,
      })
      expect(taken.status(), await taken.text()).toBe(200)
      return [
        ...routesOf(/^\/app\/admin\/tools\//),
        {
          path: question('subject=user:eve&permission=view&resource=document:roadmap'),
          title: 'Permission Checker',
          shows: /^What would/,
        },
        {
          path: question('subject=user:ada&permission=view&resource=document:roadmap&view=path'),
          shows: /^What would/,
        },
        { path: question('subject=user:dev&permission=view&resource=document:payroll'), shows: /^What would/ },
        { path: `${tools}/permissions/lookupResources?subject=user:ada`, shows: 'document:handbook' },
        {
          path: `${tools}/permissions/lookupResources?subject=user:ada&with=user:mia&type=document&permission=view`,
          shows: 'document:payroll',
        },
        { path: `${tools}/permissions/lookupSubjects?resource=document:handbook&permission=view`, shows: 'user:*' },
        { path: `${tools}/relations?view=tree` },
        { path: `${tools}/relations?view=graph&resourceType=document&depth=3&at=document:roadmap` },
        { path: `${tools}/relations?view=history` },
      ]
    },
  },
]
