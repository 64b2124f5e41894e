import * as api from '@passport/contract/join'
import { addOrgMembers, createOrg, deleteOrg, getOrg, listOrgMembers, putOrgMember } from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import * as accounts from '../accounts/store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { startTestSession } from '../test-session.ts'
import * as users from '../users/store.ts'

let service: TestService
let ada: Visitor
let eve: Visitor
let dev: Visitor
let anonymous: Visitor

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  ;[ada, eve, dev, anonymous] = await Promise.all([
    service.as('ada'),
    service.as('eve'),
    service.as('dev'),
    service.as(undefined),
  ])
})

type LinkOptions = Omit<Parameters<typeof createLink>[1], 'kind' | 'targetId'>
const createTestOrg = async (name = 'Contoso') => (await ada.call(createOrg, { body: { name } })).id
const createLink = (
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
const tokenOf = ({ url }: api.CreatedJoinLink) => new URL(url).pathname.slice('/join/'.length)
const createToken = async (targetId: string, options: LinkOptions = {}) =>
  tokenOf(await createLink(ada, { kind: 'org', targetId, ...options }))
const getJoinInvitation = (id: string) => anonymous.call(api.getJoinInvitation, { params: { id } })
const accept = (visitor: Visitor, id: string) => visitor.call(api.acceptJoinInvitation, { params: { id } })
const listLinks = (visitor: Visitor, targetId: string, kind: api.LinkKind = 'org') =>
  visitor.call(api.listJoinLinks, { query: { kind, targetId } })
const listMembers = async (orgId: string) =>
  (await ada.call(listOrgMembers, { params: { orgId }, query: {} })).items.map(({ id, role }) => [id, role])
const problem = (status: number, code: string) => ({ status, body: { code } })
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let serial = 0
async function createTestGroup(roles: string[] = []) {
  const id = `group-${++serial}`
  await service.sql`insert into groups (id, name, description) values (${id}, ${`Crew ${serial}`}, 'The flight crew')`
  for (const role of roles) await service.sql`insert into group_roles (group_id, role) values (${id}, ${role})`
  return id
}
const addOwner = (groupId: string, userId: string) =>
  service.sql`insert into group_owners (group_id, user_id) values (${groupId}, ${userId})`

/** Creates a new user and signs them in. */
async function signInNewUser(email: string, emailVerified = true): Promise<Visitor> {
  const { sql, http } = service.services
  const userId = await users.create(sql, {
    username: null,
    displayName: `Newcomer ${++serial}`,
    email,
    emailVerified,
    emailVerifiedBy: null,
  })
  const login = { providerId: 'local', issuer: 'test', subject: userId, label: email }
  await linkLogin(sql, userId, login)
  const loginId = (await accounts.findLogin(sql, 'test', userId))?.id ?? ''
  const token = await startTestSession(sql, { userId, loginId })
  return createVisitor(userId, `${http.sessionCookie}=${token}`)
}

function createVisitor(id: string, cookie: string): Visitor {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const visitor = { ...anonymous, id, cookie }
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
  test('returns its URL once, and is read back with every field', async () => {
    const targetId = await createTestOrg()
    const options = {
      role: 'admin' as const,
      maxUses: 40,
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      domains: ['contoso.example', 'Bücher.example'],
      email: 'Noor@Contoso.example',
    }
    const { url, ...created } = await createLink(ada, { kind: 'org', targetId, ...options })
    expect(url).toMatch(new RegExp(`^${service.url}/join/[\\w-]{43}$`))
    expect(created).toEqual({
      ...options,
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
    expect((await listLinks(ada, targetId)).items).toEqual([created])
    const [row] = await service.sql`select to_jsonb(l)::text as stored from join_links l where id = ${created.id}`
    expect(row?.['stored']).not.toContain(tokenOf({ url } as api.CreatedJoinLink))
  })

  test('is single-use if restricted to an email address, otherwise unlimited', async () => {
    const targetId = await createTestOrg()
    expect(await createLink(ada, { kind: 'org', targetId })).toMatchObject({
      maxUses: null,
      expiresAt: null,
      domains: [],
    })
    expect(await createLink(ada, { kind: 'org', targetId, email: 'a@b.example' })).toMatchObject({ maxUses: 1 })
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
  ])('is rejected with 400 for %j', async ([wrong, field]) => {
    const targetId = await createTestOrg()
    const response = await ada.fetch('/passport/joinlinks', {
      method: 'POST',
      body: JSON.stringify({ kind: 'org', targetId, ...wrong }),
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ field }] }])
  })

  test('can be revoked by a caller who may create links for the target, and stays revoked', async () => {
    const targetId = await createTestOrg()
    const created = await createLink(ada, { kind: 'org', targetId })
    const params = { linkId: created.id }
    await expect(eve.call(api.revokeJoinLink, { params })).rejects.toMatchObject(problem(404, 'join-link-not-found'))
    await ada.call(api.revokeJoinLink, { params })
    await ada.call(api.revokeJoinLink, { params })
    expect((await listLinks(ada, targetId)).items).toMatchObject([{ status: 'stopped' }])
    await expect(getJoinInvitation(tokenOf(created))).rejects.toMatchObject(problem(410, 'join-revoked'))
    await expect(accept(eve, tokenOf(created))).rejects.toMatchObject(problem(410, 'join-revoked'))
  })

  test('is not revoked with a version from before its last use', async () => {
    const targetId = await createTestOrg()
    const created = await createLink(ada, { kind: 'org', targetId })
    const revoke = (version: number) =>
      ada.call(api.revokeJoinLink, { params: { linkId: created.id } }, { ifMatch: `"${version}"` })
    await accept(eve, tokenOf(created))
    await expect(revoke(created.version)).rejects.toMatchObject(problem(412, 'precondition-failed'))
    const used = (await listLinks(ada, targetId)).items[0]
    expect(used).toMatchObject({ status: 'open', used: 1, version: created.version + 1 })
    await revoke(created.version + 1)
    expect((await listLinks(ada, targetId)).items).toMatchObject([{ status: 'stopped', version: created.version + 2 }])
    await expect(revoke(created.version + 1)).rejects.toMatchObject(problem(412, 'precondition-failed'))
  })

  test('is listed exactly once across pages', async () => {
    const targetId = await createTestOrg()
    const created = []
    for (let index = 0; index < 3; index++) created.push((await createLink(ada, { kind: 'org', targetId })).id)
    const listed: string[] = []
    let next: string | null = `/passport/joinlinks?kind=org&targetId=${targetId}&limit=2`
    while (next !== null) {
      const page = (await (await ada.fetch(next)).json()) as { items: { id: string }[]; next: string | null }
      listed.push(...page.items.map(({ id }) => id))
      next = page.next
    }
    expect(listed.toSorted()).toEqual(created.toSorted())
  })
})

describe('the right to create a link', () => {
  test('belongs to owners and admins of the organisation; outsiders get 404, members 403', async () => {
    const targetId = await createTestOrg()
    const params = { orgId: targetId }
    await expect(createLink(eve, { kind: 'org', targetId })).rejects.toMatchObject(problem(404, 'org-not-found'))
    await expect(listLinks(eve, targetId)).rejects.toMatchObject(problem(404, 'org-not-found'))
    await ada.call(addOrgMembers, { params, query: {}, body: { members: [eve.id] } })
    await expect(createLink(eve, { kind: 'org', targetId })).rejects.toMatchObject(problem(403, 'org-not-yours-to-run'))
    await ada.call(putOrgMember, { params: { ...params, userId: eve.id }, query: {}, body: { role: 'admin' } })
    expect(await createLink(eve, { kind: 'org', targetId, role: 'admin' })).toMatchObject({ role: 'admin' })
    expect((await listLinks(eve, targetId)).total).toBe(1)
  })

  test('belongs to owners of the group, if they may grant its roles', async () => {
    const [plain, withRole] = [await createTestGroup(), await createTestGroup(['Passport.Developer'])]
    await expect(createLink(eve, { kind: 'group', targetId: plain })).rejects.toMatchObject(
      problem(404, 'group-not-found'),
    )
    await addOwner(plain, eve.id)
    await addOwner(withRole, eve.id)
    const created = await createLink(eve, { kind: 'group', targetId: plain })
    await expect(createLink(eve, { kind: 'group', targetId: plain, role: 'admin' })).rejects.toMatchObject({
      status: 400,
    })
    await expect(createLink(eve, { kind: 'group', targetId: withRole })).rejects.toMatchObject(
      problem(403, 'role-not-yours-to-give'),
    )
    expect(await accept(dev, tokenOf(created))).toMatchObject({ target: { kind: 'group', id: plain }, role: 'member' })
    await expect(createLink(dev, { kind: 'group', targetId: plain })).rejects.toMatchObject({ status: 403 })
    const adminLink = await createLink(ada, { kind: 'group', targetId: withRole })
    expect(await accept(eve, tokenOf(adminLink))).toMatchObject({ joined: true })
    const { roles } = (await (await eve.fetch('/passport/apphelper/user')).json()) as { roles: string[] }
    expect(roles).toContain('Passport.Developer')
  })

  test('is checked again when a user joins', async () => {
    const [orgId, groupId] = [await createTestOrg(), await createTestGroup()]
    await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [eve.id, ada.id], role: 'owner' } })
    await addOwner(groupId, eve.id)
    const orgLink = await createLink(eve, { kind: 'org', targetId: orgId })
    const groupLink = await createLink(eve, { kind: 'group', targetId: groupId })
    await ada.call(putOrgMember, { params: { orgId, userId: eve.id }, query: {}, body: { role: 'member' } })
    await service.sql`insert into group_roles (group_id, role) values (${groupId}, 'Passport.Developer')`
    for (const link of [orgLink, groupLink])
      await expect(accept(dev, tokenOf(link))).rejects.toMatchObject(problem(403, 'inviter-may-not'))
    expect((await listLinks(ada, orgId)).items).toMatchObject([{ used: 0 }])
  })
})

describe('opening a link', () => {
  test('shows the same invitation on both paths and does not count as a use', async () => {
    const orgId = await createTestOrg('Contoso <b>')
    const token = await createToken(orgId, { maxUses: 1 })
    const invitation = await getJoinInvitation(token)
    expect(invitation).toEqual({
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
    expect(await anonymous.call(api.getJoinInvitationAtIndexPath, { params: { id: token } })).toEqual(invitation)
    expect((await listLinks(ada, orgId)).items).toMatchObject([{ used: 0 }])
  })

  test.for(['/join/', '/join/index/'])('at %s returns HTML to browsers and JSON to API clients', async (path) => {
    const token = await createToken(await createTestOrg('Contoso <b>'))
    const page = await anonymous.fetch(path + token, { headers: { accept: browserAccept } })
    const html = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).toContain('You are invited to Contoso &lt;b&gt;')
    expect(html).toContain(`href="/app/join/${token}"`)
    const json = await anonymous.fetch(path + token)
    expect(json.headers.get('content-type')).toBe('application/json')
    for (const response of [page, json]) expectPrivate(response)
  })

  test.for([
    ['does not exist', 404, 'join-not-found'],
    ['is used up', 409, 'join-used'],
    ['has expired', 410, 'join-expired'],
    ['was revoked', 410, 'join-revoked'],
    ['has a deleted target', 410, 'join-revoked'],
  ] as const)('that %s fails with the matching status and code', async ([reason, status, code]) => {
    const token = await createEndedToken(reason)
    for (const path of [`/join/${token}`, `/join/index/${token}`])
      for (const accept of [browserAccept, 'application/json']) {
        const response = await anonymous.fetch(path, { headers: { accept } })
        const isPage = accept === browserAccept
        expect(response.status).toBe(status)
        expect(response.headers.get('content-type')).toBe(
          isPage ? 'text/html; charset=utf-8' : 'application/problem+json',
        )
        if (!isPage) expect(await response.json()).toMatchObject({ code })
        expectPrivate(response)
      }
    await expect(accept(dev, token)).rejects.toMatchObject(problem(status, code))
  })

  test('is limited to 30 requests a minute per address', async () => {
    const token = await createToken(await createTestOrg())
    const openLink = (accept: string, index: number) =>
      fetch(`${service.url}/join/${index % 2 ? 'index/' : ''}${token}`, {
        headers: { accept, 'x-forwarded-for': '203.0.113.77' },
      })
    for (let index = 0; index < 30; index++)
      expect((await openLink(index % 3 ? browserAccept : '*/*', index)).status).toBe(200)
    expect((await openLink(browserAccept, 0)).status).toBe(429)
    expect((await openLink('application/json', 1)).status).toBe(429)
  })

  async function createEndedToken(reason: string): Promise<string> {
    const orgId = await createTestOrg()
    if (reason === 'does not exist') return 'x'.repeat(43)
    const link = await createLink(ada, { kind: 'org', targetId: orgId, maxUses: 1 })
    if (reason === 'is used up') await accept(eve, tokenOf(link))
    if (reason === 'has expired')
      await service.sql`update join_links set expires_at = now() - interval '1 second' where id = ${link.id}`
    if (reason === 'was revoked') await ada.call(api.revokeJoinLink, { params: { linkId: link.id } })
    if (reason === 'has a deleted target') await ada.call(deleteOrg, { params: { orgId }, query: {} })
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

describe('joining', () => {
  test('adds the caller once with the role of the link, and counts one use of the link', async () => {
    const orgId = await createTestOrg()
    const token = await createToken(orgId, { role: 'admin', maxUses: 1 })
    const target = { kind: 'org', id: orgId, name: 'Contoso' }
    await expect(accept(anonymous, token)).rejects.toMatchObject({ status: 401 })
    expect(await accept(eve, token)).toEqual({ target, role: 'admin', joined: true })
    expect(await accept(eve, token)).toEqual({ target, role: 'admin', joined: false })
    await expect(accept(dev, token)).rejects.toMatchObject(problem(409, 'join-used'))
    expect(await listMembers(orgId)).toEqual([[eve.id, 'admin']])
    const events = await service.sql`
      select actor_id, after from audit_events where action = 'join-link.accepted' and target_id = ${orgId}`
    expect(events).toMatchObject([{ actorId: eve.id, after: { member: eve.id, role: 'admin' } }])
  })

  test('leaves an existing member unchanged and does not count as a use', async () => {
    const orgId = await createTestOrg()
    await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [eve.id], role: 'owner' } })
    const token = await createToken(orgId, { maxUses: 1 })
    expect(await accept(eve, token)).toMatchObject({ role: 'owner', joined: false })
    expect((await listLinks(ada, orgId)).items).toMatchObject([{ used: 0, status: 'open' }])
  })

  test('concurrently with an administrator adding the same user creates one membership', async () => {
    const orgId = await createTestOrg()
    const token = await createToken(orgId, { maxUses: 1 })
    const noor = await signInNewUser('noor@race.example')
    const add = () => ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [noor.id] } })
    await Promise.all([accept(noor, token), add(), accept(noor, token)])
    expect(await listMembers(orgId)).toEqual([[noor.id, 'member']])
    expect(await ada.call(getOrg, { params: { orgId } })).toMatchObject({ memberCount: 1 })
  })

  test('requires the caller’s verified email to match the link’s email', async () => {
    const orgId = await createTestOrg()
    const createTokenForNoor = () => createToken(orgId, { email: 'Noor@contoso.example' })
    await expect(accept(eve, await createTokenForNoor())).rejects.toMatchObject(problem(403, 'wrong-email'))
    // In Unicode, the lower case of the Kelvin sign is k.
    const kelvin = await signInNewUser('noor.\u212a@contoso.example')
    const kelvinToken = await createToken(orgId, { email: 'noor.K@contoso.example' })
    await expect(accept(kelvin, kelvinToken)).rejects.toMatchObject(problem(403, 'wrong-email'))
    await accept(await signInNewUser('Noor.k@contoso.example'), kelvinToken)
    const unverified = await signInNewUser('noor@contoso.example', false)
    await expect(accept(unverified, await createTokenForNoor())).rejects.toMatchObject(problem(403, 'wrong-email'))
    expect(await accept(await signInNewUser('NOOR@contoso.example'), await createTokenForNoor())).toMatchObject({
      joined: true,
    })
  })

  test('requires a verified address of one of the link’s domains', async () => {
    const orgId = await createTestOrg()
    const token = await createToken(orgId, { domains: ['Bücher.example', 'contoso.example'] })
    await expect(accept(eve, token)).rejects.toMatchObject(problem(403, 'wrong-domain'))
    await expect(accept(await signInNewUser('a@sub.contoso.example'), token)).rejects.toMatchObject({ status: 403 })
    await expect(accept(await signInNewUser('a@contoso.example', false), token)).rejects.toMatchObject({ status: 403 })
    expect(await accept(await signInNewUser('a@bücher.example'), token)).toMatchObject({ joined: true })
    expect(await accept(await signInNewUser('a@Contoso.example'), token)).toMatchObject({ joined: true })
  })

  test.for(['org', 'group'] as const)(
    'of 50 concurrent users through a 40-use link adds 40 members to the %s',
    { timeout: 60_000 },
    async (kind) => {
      const targetId = kind === 'org' ? await createTestOrg() : await createTestGroup()
      const { id, ...link } = await createLink(ada, { kind, targetId, maxUses: 40 })
      const crowd = await Promise.all(
        Array.from({ length: 50 }, (_, index) => signInNewUser(`${kind}${index}@crowd.example`)),
      )
      const token = tokenOf({ id, ...link })
      const outcomes = await Promise.allSettled(crowd.map((visitor) => accept(visitor, token)))
      const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(rejected).toHaveLength(10)
      for (const { reason } of rejected) expect(reason).toMatchObject(problem(409, 'join-used'))
      expect((await listLinks(ada, targetId, kind)).items).toMatchObject([{ used: 40, maxUses: 40, status: 'used' }])
      const [stored] =
        kind === 'org'
          ? await service.sql`
            select o.member_count, count(*)::integer as rows from orgs o join org_members m on m.org_id = o.id
            where o.id = ${targetId} group by o.id`
          : await service.sql`
            select g.member_count, count(*)::integer as rows from groups g join group_members m on m.group_id = g.id
            where g.id = ${targetId} group by g.id`
      expect(stored).toEqual({ memberCount: 40, rows: 40 })
      if (kind === 'org')
        expect(await ada.call(getOrg, { params: { orgId: targetId } })).toMatchObject({ memberCount: 40 })
    },
  )
})
