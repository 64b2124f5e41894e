import * as api from '@passport/contract/join'
import { addOrgMembers, createOrg, deleteOrg, getOrg, listOrgMembers, putOrgMember } from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import * as accounts from '../accounts/store.ts'
import * as sessions from '../sessions/store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as users from '../users/store.ts'

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor
let stranger: Visitor

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  ;[ada, eve, dev, stranger] = await Promise.all([
    service.as('ada'),
    service.as('eve'),
    service.as('dev'),
    service.as(undefined),
  ])
})

type Wish = Omit<Parameters<typeof make>[1], 'kind' | 'targetId'>
const newOrg = async (name = 'Contoso') => (await ada.call(createOrg, { body: { name } })).id
const make = (
  visitor: Visitor,
  body: {
    kind: api.LinkKind
    targetId: string
    role?: 'member' | 'admin'
    maxUses?: number
    expiresAt?: string
    domains?: string[]
    email?: string
  },
) => visitor.call(api.createJoinLink, { body })
const tokenOf = ({ url }: api.NewJoinLink) => new URL(url).pathname.slice('/join/'.length)
const into = async (targetId: string, wish: Wish = {}) => tokenOf(await make(ada, { kind: 'org', targetId, ...wish }))
const look = (id: string) => stranger.call(api.getInvitation, { params: { id } })
const accept = (visitor: Visitor, id: string) => visitor.call(api.acceptInvitation, { params: { id } })
const linksOf = (visitor: Visitor, targetId: string, kind: api.LinkKind = 'org') =>
  visitor.call(api.listJoinLinks, { query: { kind, targetId } })
const membersOf = async (orgId: string) =>
  (await ada.call(listOrgMembers, { params: { orgId }, query: {} })).items.map(({ id, role }) => [id, role])
const refusal = (status: number, code: string) => ({ status, body: { code } })
const asAddress = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let serial = 0
async function newGroup(roles: string[] = []) {
  const id = `group-${++serial}`
  await service.sql`insert into groups (id, name, description) values (${id}, ${`Crew ${serial}`}, 'Those who fly')`
  for (const role of roles) await service.sql`insert into group_roles (group_id, role) values (${id}, ${role})`
  return id
}
const own = (groupId: string, userId: string) =>
  service.sql`insert into group_owners (group_id, user_id) values (${groupId}, ${userId})`

/** Somebody new, signed in. */
async function newcomer(email: string, emailVerified = true): Promise<Visitor> {
  const { sql, door } = service.services
  const userId = await users.create(sql, { username: null, displayName: `Newcomer ${++serial}`, email, emailVerified })
  const login = { providerId: 'local', issuer: 'test', subject: userId, label: email }
  await accounts.addLogin(sql, userId, login)
  const loginId = (await accounts.findLogin(sql, 'test', userId))?.id ?? ''
  const nothing = { interaction: null, providerSession: null, upstreamIdToken: null }
  const shared = { idp: 'local', authTime: new Date().toISOString(), amr: ['pwd'], ip: '127.0.0.1', userAgent: 'test' }
  const token = await sessions.start(sql, { userId, loginId, ...shared, ...nothing })
  return visitorWith(userId, `${door.sessionCookie}=${token}`)
}

function visitorWith(id: string, cookie: string): Visitor {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const visitor = { ...stranger, id, cookie }
  visitor.fetch = (path, init) => fetch(new URL(path, service.url), { ...init, headers })
  visitor.call = (async (endpoint: { path: string }, sent: { params: { id: string } }) => {
    const response = await visitor.fetch(endpoint.path.replace('{id}', sent.params.id), { method: 'POST' })
    const body = await response.json()
    if (!response.ok) throw { status: response.status, body }
    return body
  }) as Visitor['call']
  return visitor
}

describe('a link', () => {
  test('is told once with its address, and read back with every field', async () => {
    const targetId = await newOrg()
    const wish = {
      role: 'admin' as const,
      maxUses: 40,
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      domains: ['contoso.example', 'Bücher.example'],
      email: 'Noor@Contoso.example',
    }
    const { url, ...made } = await make(ada, { kind: 'org', targetId, ...wish })
    expect(url).toMatch(new RegExp(`^${service.url}/join/[\\w-]{43}$`))
    expect(made).toEqual({
      ...wish,
      id: expect.any(String),
      kind: 'org',
      targetId,
      domains: ['contoso.example', 'xn--bcher-kva.example'],
      email: 'noor@contoso.example',
      used: 0,
      status: 'open',
      version: 1,
      createdAt: expect.any(String),
      createdBy: { id: ada.id, name: 'Ada Lovelace' },
    })
    expect((await linksOf(ada, targetId)).items).toEqual([made])
    const [row] = await service.sql`select to_jsonb(l)::text as kept from join_links l where id = ${made.id}`
    expect(row?.['kept']).not.toContain(tokenOf({ url } as api.NewJoinLink))
  })

  test('is for one where it is for one address, and otherwise for any number', async () => {
    const targetId = await newOrg()
    expect(await make(ada, { kind: 'org', targetId })).toMatchObject({ maxUses: null, expiresAt: null, domains: [] })
    expect(await make(ada, { kind: 'org', targetId, email: 'a@b.example' })).toMatchObject({ maxUses: 1 })
  })

  test.for<[object, string]>([
    [{ kind: 'space' }, 'kind'],
    [{ role: 'owner' }, 'role'],
    [{ maxUses: 0 }, 'maxUses'],
    [{ maxUses: 1.5 }, 'maxUses'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    [{ domains: ['localhost'] }, 'domains[0]'],
    [{ email: 'nobody' }, 'email'],
  ])('is not made from %j', async ([wrong, field]) => {
    const targetId = await newOrg()
    const response = await ada.fetch('/passport/joinlinks', {
      method: 'POST',
      body: JSON.stringify({ kind: 'org', targetId, ...wrong }),
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ field }] }])
  })

  test('is stopped once and for all, by who may make it', async () => {
    const targetId = await newOrg()
    const made = await make(ada, { kind: 'org', targetId })
    const params = { linkId: made.id }
    await expect(eve.call(api.stopJoinLink, { params })).rejects.toMatchObject(refusal(404, 'join-link-not-found'))
    await ada.call(api.stopJoinLink, { params })
    await ada.call(api.stopJoinLink, { params })
    expect((await linksOf(ada, targetId)).items).toMatchObject([{ status: 'stopped' }])
    await expect(look(tokenOf(made))).rejects.toMatchObject(refusal(410, 'join-revoked'))
    await expect(accept(eve, tokenOf(made))).rejects.toMatchObject(refusal(410, 'join-revoked'))
  })

  test('is not stopped by whoever does not know that it was used since', async () => {
    const targetId = await newOrg()
    const made = await make(ada, { kind: 'org', targetId })
    const stop = (version: number) =>
      ada.call(api.stopJoinLink, { params: { linkId: made.id } }, { ifMatch: `"${version}"` })
    await accept(eve, tokenOf(made))
    await expect(stop(made.version)).rejects.toMatchObject(refusal(412, 'precondition-failed'))
    const used = (await linksOf(ada, targetId)).items[0]
    expect(used).toMatchObject({ status: 'open', used: 1, version: made.version + 1 })
    await stop(made.version + 1)
    expect((await linksOf(ada, targetId)).items).toMatchObject([{ status: 'stopped', version: made.version + 2 }])
    await expect(stop(made.version + 1)).rejects.toMatchObject(refusal(412, 'precondition-failed'))
  })

  test('is listed page by page, the latest first', async () => {
    const targetId = await newOrg()
    const made = []
    for (let at = 0; at < 3; at++) made.push((await make(ada, { kind: 'org', targetId })).id)
    const listed: string[] = []
    let next: string | null = `/passport/joinlinks?kind=org&targetId=${targetId}&limit=2`
    while (next !== null) {
      const page = (await (await ada.fetch(next)).json()) as { items: { id: string }[]; next: string | null }
      listed.push(...page.items.map(({ id }) => id))
      next = page.next
    }
    expect(listed.toSorted()).toEqual(made.toSorted())
  })
})

describe('who may make one', () => {
  test('is who runs the organisation; others do not know of it', async () => {
    const targetId = await newOrg()
    const params = { orgId: targetId }
    await expect(make(eve, { kind: 'org', targetId })).rejects.toMatchObject(refusal(404, 'org-not-found'))
    await expect(linksOf(eve, targetId)).rejects.toMatchObject(refusal(404, 'org-not-found'))
    await ada.call(addOrgMembers, { params, query: {}, body: { members: [eve.id] } })
    await expect(make(eve, { kind: 'org', targetId })).rejects.toMatchObject(refusal(403, 'org-not-yours-to-run'))
    await ada.call(putOrgMember, { params: { ...params, userId: eve.id }, query: {}, body: { role: 'admin' } })
    expect(await make(eve, { kind: 'org', targetId, role: 'admin' })).toMatchObject({ role: 'admin' })
    expect((await linksOf(eve, targetId)).total).toBe(1)
  })

  test('is who owns the group, if the roles that it carries are theirs to give', async () => {
    const [plain, carrying] = [await newGroup(), await newGroup(['Passport.Developer'])]
    await expect(make(eve, { kind: 'group', targetId: plain })).rejects.toMatchObject(refusal(404, 'group-not-found'))
    await own(plain, eve.id)
    await own(carrying, eve.id)
    const made = await make(eve, { kind: 'group', targetId: plain })
    await expect(make(eve, { kind: 'group', targetId: plain, role: 'admin' })).rejects.toMatchObject({ status: 400 })
    await expect(make(eve, { kind: 'group', targetId: carrying })).rejects.toMatchObject(
      refusal(403, 'role-not-yours-to-give'),
    )
    expect(await accept(dev, tokenOf(made))).toMatchObject({ target: { kind: 'group', id: plain }, role: 'member' })
    await expect(make(dev, { kind: 'group', targetId: plain })).rejects.toMatchObject({ status: 403 })
    const byAdministrator = await make(ada, { kind: 'group', targetId: carrying })
    expect(await accept(eve, tokenOf(byAdministrator))).toMatchObject({ joined: true })
    const { roles } = (await (await eve.fetch('/passport/apphelper/user')).json()) as { roles: string[] }
    expect(roles).toContain('Passport.Developer')
  })

  test('must be so still when somebody comes in', async () => {
    const [orgId, groupId] = [await newOrg(), await newGroup()]
    await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [eve.id, ada.id], role: 'owner' } })
    await own(groupId, eve.id)
    const intoOrg = await make(eve, { kind: 'org', targetId: orgId })
    const intoGroup = await make(eve, { kind: 'group', targetId: groupId })
    await ada.call(putOrgMember, { params: { orgId, userId: eve.id }, query: {}, body: { role: 'member' } })
    await service.sql`insert into group_roles (group_id, role) values (${groupId}, 'Passport.Developer')`
    for (const link of [intoOrg, intoGroup])
      await expect(accept(dev, tokenOf(link))).rejects.toMatchObject(refusal(403, 'inviter-may-not'))
    expect((await linksOf(ada, orgId)).items).toMatchObject([{ used: 0 }])
  })
})

describe('whoever opens a link', () => {
  test('is told where it leads, at both addresses alike, and nothing is used up', async () => {
    const orgId = await newOrg('Contoso <b>')
    const token = await into(orgId, { maxUses: 1 })
    const told = await look(token)
    expect(told).toEqual({
      id: token,
      kind: 'org',
      title: 'Contoso <b>',
      description: '',
      inviter: { displayname: 'Ada Lovelace' },
      expiresAt: null,
      requiresSignIn: true,
      status: 'open',
      acceptUrl: `/join/${token}/accept`,
      appUrl: `/app/join/${token}`,
    })
    expect(await stranger.call(api.getInvitationByIndex, { params: { id: token } })).toEqual(told)
    expect((await linksOf(ada, orgId)).items).toMatchObject([{ used: 0 }])
  })

  test.for(['/join/', '/join/index/'])('at %s sees a page in a browser, and programs get JSON', async (path) => {
    const token = await into(await newOrg('Contoso <b>'))
    const page = await stranger.fetch(path + token, { headers: { accept: asAddress } })
    const html = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).toContain('You are invited to Contoso &lt;b&gt;')
    expect(html).toContain(`href="/app/join/${token}"`)
    const json = await stranger.fetch(path + token)
    expect(json.headers.get('content-type')).toBe('application/json')
    for (const response of [page, json]) expectPrivate(response)
  })

  test.for([
    ['there never was', 404, 'join-not-found'],
    ['is used up', 409, 'join-used'],
    ['has expired', 410, 'join-expired'],
    ['was stopped', 410, 'join-revoked'],
    ['leads into what is deleted', 410, 'join-revoked'],
  ] as const)('that %s is told so', async ([what, status, code]) => {
    const token = await ended(what)
    for (const path of [`/join/${token}`, `/join/index/${token}`])
      for (const accept of [asAddress, 'application/json']) {
        const response = await stranger.fetch(path, { headers: { accept } })
        const isPage = accept === asAddress
        expect(response.status).toBe(status)
        expect(response.headers.get('content-type')).toBe(
          isPage ? 'text/html; charset=utf-8' : 'application/problem+json',
        )
        if (!isPage) expect(await response.json()).toMatchObject({ code })
        expectPrivate(response)
      }
    await expect(accept(dev, token)).rejects.toMatchObject(refusal(status, code))
  })

  test('30 times in a minute has to wait', async () => {
    const token = await into(await newOrg())
    const from = (accept: string, at: number) =>
      fetch(`${service.url}/join/${at % 2 ? 'index/' : ''}${token}`, {
        headers: { accept, 'x-forwarded-for': '203.0.113.77' },
      })
    for (let at = 0; at < 30; at++) expect((await from(at % 3 ? asAddress : '*/*', at)).status).toBe(200)
    expect((await from(asAddress, 0)).status).toBe(429)
    expect((await from('application/json', 1)).status).toBe(429)
  })

  async function ended(what: string): Promise<string> {
    const orgId = await newOrg()
    if (what === 'there never was') return 'x'.repeat(43)
    const link = await make(ada, { kind: 'org', targetId: orgId, maxUses: 1 })
    if (what === 'is used up') await accept(eve, tokenOf(link))
    if (what === 'has expired')
      await service.sql`update join_links set expires_at = now() - interval '1 second' where id = ${link.id}`
    if (what === 'was stopped') await ada.call(api.stopJoinLink, { params: { linkId: link.id } })
    if (what.startsWith('leads')) await ada.call(deleteOrg, { params: { orgId }, query: {} })
    return tokenOf(link)
  }

  function expectPrivate({ headers }: Response) {
    expect(['cache-control', 'referrer-policy', 'x-robots-tag'].map((name) => headers.get(name))).toEqual([
      'no-store',
      'no-referrer',
      'noindex',
    ])
  }
})

describe('whoever joins', () => {
  test('comes in once with the role of the link, and uses it once', async () => {
    const orgId = await newOrg()
    const token = await into(orgId, { role: 'admin', maxUses: 1 })
    const target = { kind: 'org', id: orgId, name: 'Contoso' }
    await expect(accept(stranger, token)).rejects.toMatchObject({ status: 401 })
    expect(await accept(eve, token)).toEqual({ target, role: 'admin', joined: true })
    expect(await accept(eve, token)).toEqual({ target, role: 'admin', joined: false })
    await expect(accept(dev, token)).rejects.toMatchObject(refusal(409, 'join-used'))
    expect(await membersOf(orgId)).toEqual([[eve.id, 'admin']])
    const events = await service.sql`
      select actor_id, after from audit_events where action = 'join-link.accepted' and target_id = ${orgId}`
    expect(events).toMatchObject([{ actorId: eve.id, after: { member: eve.id, role: 'admin' } }])
  })

  test('and is in already stays what they are, and uses nothing up', async () => {
    const orgId = await newOrg()
    await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [eve.id], role: 'owner' } })
    const token = await into(orgId, { maxUses: 1 })
    expect(await accept(eve, token)).toMatchObject({ role: 'owner', joined: false })
    expect((await linksOf(ada, orgId)).items).toMatchObject([{ used: 0, status: 'open' }])
  })

  test('while somebody adds them by hand is in once', async () => {
    const orgId = await newOrg()
    const token = await into(orgId, { maxUses: 1 })
    const noor = await newcomer('noor@race.example')
    const add = () => ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [noor.id] } })
    await Promise.all([accept(noor, token), add(), accept(noor, token)])
    expect(await membersOf(orgId)).toEqual([[noor.id, 'member']])
    expect(await ada.call(getOrg, { params: { orgId } })).toMatchObject({ memberCount: 1 })
  })

  test('has the verified address that the link is for', async () => {
    const orgId = await newOrg()
    const forNoor = () => into(orgId, { email: 'Noor@contoso.example' })
    await expect(accept(eve, await forNoor())).rejects.toMatchObject(refusal(403, 'wrong-email'))
    const unverified = await newcomer('noor@contoso.example', false)
    await expect(accept(unverified, await forNoor())).rejects.toMatchObject(refusal(403, 'wrong-email'))
    expect(await accept(await newcomer('NOOR@contoso.example'), await forNoor())).toMatchObject({ joined: true })
  })

  test('has a verified address of one of the domains that the link is for', async () => {
    const orgId = await newOrg()
    const token = await into(orgId, { domains: ['Bücher.example', 'contoso.example'] })
    await expect(accept(eve, token)).rejects.toMatchObject(refusal(403, 'wrong-domain'))
    await expect(accept(await newcomer('a@sub.contoso.example'), token)).rejects.toMatchObject({ status: 403 })
    await expect(accept(await newcomer('a@contoso.example', false), token)).rejects.toMatchObject({ status: 403 })
    expect(await accept(await newcomer('a@bücher.example'), token)).toMatchObject({ joined: true })
    expect(await accept(await newcomer('a@Contoso.example'), token)).toMatchObject({ joined: true })
  })

  test.for(['org', 'group'] as const)(
    'a %s with 49 others by a link for 40: 40 are in',
    { timeout: 60_000 },
    async (kind) => {
      const targetId = kind === 'org' ? await newOrg() : await newGroup()
      const { id, ...link } = await make(ada, { kind, targetId, maxUses: 40 })
      const crowd = await Promise.all(Array.from({ length: 50 }, (_, at) => newcomer(`${kind}${at}@crowd.example`)))
      const token = tokenOf({ id, ...link })
      const outcomes = await Promise.allSettled(crowd.map((visitor) => accept(visitor, token)))
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(refused).toHaveLength(10)
      for (const { reason } of refused) expect(reason).toMatchObject(refusal(409, 'join-used'))
      expect((await linksOf(ada, targetId, kind)).items).toMatchObject([{ used: 40, maxUses: 40, status: 'used' }])
      const [kept] =
        kind === 'org'
          ? await service.sql`
            select o.member_count, count(*)::integer as rows from orgs o join org_members m on m.org_id = o.id
            where o.id = ${targetId} group by o.id`
          : await service.sql`
            select g.member_count, count(*)::integer as rows from groups g join group_members m on m.group_id = g.id
            where g.id = ${targetId} group by g.id`
      expect(kept).toEqual({ memberCount: 40, rows: 40 })
      if (kind === 'org')
        expect(await ada.call(getOrg, { params: { orgId: targetId } })).toMatchObject({ memberCount: 40 })
    },
  )
})
