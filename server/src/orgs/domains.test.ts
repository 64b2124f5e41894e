import { discover } from '@passport/contract/discovery'
import * as api from '@passport/contract/org-domains'
import { createOrg, deleteOrg, getOrg, restoreOrg } from '@passport/contract/orgs'
import { type NameServer, startNameServer } from '@passport/world/dns'
import { beforeAll, describe, expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recheckDomains } from './recheck-domains.ts'
import { createTxtResolver } from './txt-records.ts'

let nameServer: NameServer
let service: TestService
let ada: Visitor

beforeAll(async () => {
  nameServer = await startNameServer()
  onFileEnd(nameServer.close)
  service = await startTestService({ DNS_RESOLVER: nameServer.address, TRUSTED_PROXIES: '127.0.0.1' })
  ada = await service.as('ada')
})

let serial = 0
const generateDomain = () => `company-${++serial}.example`
const createOrgWithDomains = (...domains: string[]) => ada.call(createOrg, { body: { name: 'Company', domains } })
const verify = (orgId: string, domain: string) => ada.call(api.verifyOrgDomain, { params: { orgId, domain } })
const toDnsRecord = ({ dnsName, dnsValue }: api.OrgDomain) => [dnsName, [dnsValue]] as [string, string[]]
const problem = (status: number, code: string) => ({ status, body: { code } })

/** Creates an organisation with a verified domain. */
async function createVerified(domain = generateDomain()) {
  const org = await createOrgWithDomains(domain)
  const [pending] = org.domains
  if (!pending) throw new Error('The new organisation has no domain')
  nameServer.records.set(...toDnsRecord(pending))
  return { org, domain, pending, verified: await verify(org.id, domain) }
}

describe('a domain', () => {
  test('is verified by its record, and read back', async () => {
    const domain = generateDomain()
    const { id } = await createOrgWithDomains()
    const params = { orgId: id }
    const added = await ada.call(api.addOrgDomain, { params, body: { domain: ` ${domain.toUpperCase()}. ` } })
    expect(added).toEqual({
      domain,
      status: 'pending',
      dnsName: `_passport-challenge.${domain}`,
      dnsValue: expect.stringMatching(/^passport-verify=[\w-]{43}$/),
      addedAt: expect.any(String),
      verifiedAt: null,
      checkedAt: null,
      failingSince: null,
      source: 'dns',
    })
    nameServer.records.set(added.dnsName, ['v=spf1 -all', ` ${added.dnsValue} `])
    const verified = await verify(id, domain)
    expect(verified).toEqual({
      ...added,
      status: 'verified',
      verifiedAt: expect.any(String),
      checkedAt: verified.verifiedAt,
    })
    expect((await ada.call(getOrg, { params })).domains).toEqual([verified])
    expect(await verify(id, domain)).toMatchObject({ verifiedAt: verified.verifiedAt })
    const events = await service.sql`
      select actor_id, before, after from audit_events where action = 'org.domain-verified' and target_id = ${id}`
    const change = { before: { domain, status: 'pending' }, after: { domain, status: 'verified' } }
    expect(events).toEqual([{ actorId: ada.id, ...change }])
  })

  test('with non-ASCII letters is queried in its DNS form', async () => {
    const { domain, verified } = await createVerified('müller.example')
    expect([domain, verified.domain, verified.status]).toEqual(['müller.example', 'xn--mller-kva.example', 'verified'])
  })

  test('is not verified by another record, and the error lists the existing ones', async () => {
    const domain = generateDomain()
    const { id, domains } = await createOrgWithDomains(domain)
    await expect(verify(id, domain)).rejects.toMatchObject({ status: 409, body: { code: 'dns-not-found', found: [] } })
    const records = ['passport-verify=wrong', 'x'.repeat(300)]
    nameServer.records.set(domains[0]?.dnsName ?? '', records)
    await expect(verify(id, domain)).rejects.toMatchObject({
      status: 409,
      body: { code: 'dns-not-found', found: ['passport-verify=wrong', 'x'.repeat(200)] },
    })
    nameServer.records.set(domains[0]?.dnsName ?? '', [])
    await expect(verify(id, domain)).rejects.toMatchObject(problem(409, 'dns-not-found'))
  })

  test('is not verified while DNS queries fail, with 503', async () => {
    const domain = generateDomain()
    const { id } = await createOrgWithDomains(domain)
    nameServer.behaviour = 'broken'
    await expect(verify(id, domain)).rejects.toMatchObject(problem(503, 'dns-unavailable'))
    nameServer.behaviour = 'silent'
    await expect(verify(id, domain)).rejects.toMatchObject(problem(503, 'dns-unavailable'))
    nameServer.behaviour = 'normal'
  })

  test('that another organisation verifies leaves no address verified for which the former owner vouched', async () => {
    const { sql } = service
    const { org, domain } = await createVerified()
    const nameUser = (name: string) => `${name}-of-${domain}`
    const holders = [
      ['vouched', org.id, null],
      ['deleted', org.id, new Date().toISOString()],
      ['proven', null, null],
      ['elsewhere', org.id, null],
    ] as const
    for (const [name, voucher, deletedAt] of holders)
      await sql`
        insert into users (id, email, email_verified, email_verified_by, deleted_at)
        values (${nameUser(name)}, ${`${name}@${name === 'elsewhere' ? 'other.example' : domain}`}, true, ${voucher},
          ${deletedAt})`
    const readVerified = async () =>
      (
        await sql<{ id: string }[]>`
        select id from users where email_verified and id = any(${holders.map(([name]) => nameUser(name))})`
      ).map(({ id }) => id.split('-')[0])
    await verify(org.id, domain)
    expect(await readVerified()).toHaveLength(4)
    await ada.call(api.deleteOrgDomain, { params: { orgId: org.id, domain } } as never)
    const next = await createVerified(domain)
    expect((await readVerified()).sort()).toEqual(['elsewhere', 'proven'])
    const events = await sql`
      select actor_id, before, after, reason from audit_events
      where target_id = ${nameUser('vouched')} and action = 'user.changed'`
    const email = `vouched@${domain}`
    expect(events).toEqual([
      {
        actorId: ada.id,
        before: { email, emailVerified: true, emailVerifiedBy: org.id },
        after: { email, emailVerified: false, org: next.org.id },
        reason: 'email-of-organisation',
      },
    ])
  })

  test('belongs to one organisation, even when two verify it concurrently', async () => {
    const domain = generateDomain()
    const both = [await createOrgWithDomains(domain), await createOrgWithDomains(domain)]
    const values = both.flatMap(({ domains }) => domains.map(({ dnsValue }) => dnsValue))
    nameServer.records.set(`_passport-challenge.${domain}`, values)
    const outcomes = await Promise.allSettled(both.map(({ id }) => verify(id, domain)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const rejected = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(rejected.reason).toMatchObject(problem(409, 'domain-taken'))
  })

  test('is taken over from a deleted organisation, and not restored with it', async () => {
    const { org, domain } = await createVerified()
    const params = { orgId: org.id }
    await ada.call(deleteOrg, { params, query: {} })
    await createVerified(domain)
    const restored = await ada.call(restoreOrg, { params, query: {}, body: { slug: 'company-back' } })
    expect(restored.domains).toMatchObject([{ domain, status: 'lapsed' }])
  })

  test.for([
    ['gmail.com', 400, 'domain-public'],
    ['localhost', 400, 'domain-invalid'],
    ['10.0.0.1', 400, 'domain-invalid'],
    ['there.example', 409, 'domain-there'],
  ] as const)('%s is rejected', async ([domain, status, code]) => {
    const { id } = await createOrgWithDomains('there.example')
    await expect(ada.call(api.addOrgDomain, { params: { orgId: id }, body: { domain } })).rejects.toMatchObject(
      problem(status, code),
    )
  })

  test('can neither be removed nor verified after its removal', async () => {
    const { org, domain } = await createVerified()
    const params = { orgId: org.id, domain }
    await ada.call(api.deleteOrgDomain, { params })
    await expect(ada.call(api.deleteOrgDomain, { params })).rejects.toMatchObject(problem(404, 'domain-not-found'))
    await expect(verify(org.id, domain)).rejects.toMatchObject(problem(404, 'domain-not-found'))
  })
})

describe('removing a domain', () => {
  test('is rejected with a stale version of the organisation', async () => {
    const { id } = await createOrgWithDomains()
    const add = await ada.fetch(`/passport/admin/orgs/${id}/domains`, {
      method: 'POST',
      body: JSON.stringify({ domain: generateDomain() }),
      headers: { 'content-type': 'application/json' },
    })
    const { domain } = (await add.json()) as api.OrgDomain
    const version = add.headers.get('etag') ?? ''
    expect((await ada.fetch(`/passport/admin/orgs/${id}`)).headers.get('etag')).toBe(version)
    await ada.call(api.addOrgDomain, { params: { orgId: id }, body: { domain: generateDomain() } })
    const remove = (ifMatch: string) => ada.call(api.deleteOrgDomain, { params: { orgId: id, domain } }, { ifMatch })
    await expect(remove(version)).rejects.toMatchObject(problem(412, 'precondition-failed'))
    const { domains, version: currentVersion } = await ada.call(getOrg, { params: { orgId: id } })
    expect(domains).toHaveLength(2)
    await remove(`"${currentVersion}"`)
    expect((await ada.call(getOrg, { params: { orgId: id } })).domains).toHaveLength(1)
  })
})

describe('a verified domain', () => {
  const recheck = () => recheckDomains(service.sql, createTxtResolver([nameServer.address]))
  const backdate = (domain: string, days: number) =>
    service.sql`
      update org_domains set checked_at = checked_at - make_interval(days => ${days}),
        failing_since = failing_since - make_interval(days => ${days})
      where domain = ${domain}`
  const fetchDomain = async (orgId: string) => (await ada.call(getOrg, { params: { orgId } })).domains[0]

  test('lapses when its record has been missing for a week, and can be verified again', async () => {
    const { org, domain, pending } = await createVerified()
    nameServer.records.delete(pending.dnsName)
    await backdate(domain, 1)
    await recheck()
    expect(await fetchDomain(org.id)).toMatchObject({ status: 'verified', failingSince: expect.any(String) })
    await backdate(domain, 7)
    await recheck()
    expect(await fetchDomain(org.id)).toMatchObject({ status: 'lapsed' })
    const [event] = await service.sql`select target_id, actor_id from audit_events where action = 'org.domain-lapsed'`
    expect(event).toEqual({ targetId: org.id, actorId: null })
    nameServer.records.set(...toDnsRecord(pending))
    expect(await verify(org.id, domain)).toMatchObject({ status: 'verified', failingSince: null })
  })

  test('stays verified when its record reappears within a week', async () => {
    const { org, domain, pending } = await createVerified()
    nameServer.records.delete(pending.dnsName)
    await backdate(domain, 1)
    await recheck()
    nameServer.records.set(...toDnsRecord(pending))
    await backdate(domain, 6)
    await recheck()
    expect(await fetchDomain(org.id)).toMatchObject({ status: 'verified', failingSince: null })
  })

  test('does not lapse while DNS is unreachable', async () => {
    const { org, domain } = await createVerified()
    await service.sql`update org_domains set checked_at = now()`
    await backdate(domain, 30)
    nameServer.behaviour = 'broken'
    await recheck()
    nameServer.behaviour = 'normal'
    expect(await fetchDomain(org.id)).toMatchObject({ status: 'verified', failingSince: null })
  })
})

describe('domains whose DNS servers do not respond', () => {
  const resolverWith = (isReachable: boolean) => async (name: string) =>
    name.endsWith('.dead.example') || !isReachable ? undefined : []
  const countFailing = (orgId: string) =>
    service.sql<{ isDead: boolean; failing: number }[]>`
      select domain like '%.dead.example' as is_dead, count(failing_since)::integer as failing
      from org_domains where org_id = ${orgId} group by 1 order by 1`

  test('are marked failing only if other domains resolve, and do not delay their checks', async () => {
    const { org } = await createVerified()
    await service.sql`update org_domains set checked_at = now()`
    await service.sql`
      insert into org_domains (org_id, domain, challenge, status)
      select ${org.id}, n || '.dead.example', 'x', 'verified' from generate_series(1, 60) n`
    await service.sql`
      update org_domains set checked_at = now() - make_interval(days => case when challenge = 'x' then 3 else 2 end)
      where org_id = ${org.id}`
    await recheckDomains(service.sql, resolverWith(false))
    expect([...(await countFailing(org.id))]).toEqual([
      { isDead: false, failing: 0 },
      { isDead: true, failing: 0 },
    ])
    await service.sql`update org_domains set checked_at = checked_at - interval '2 days' where org_id = ${org.id}`
    await service.sql`update org_domains set checked_at = checked_at - interval '1 hour' where org_id = ${org.id} and challenge = 'x'`
    await recheckDomains(service.sql, resolverWith(true))
    expect([...(await countFailing(org.id))]).toEqual([
      { isDead: false, failing: 1 },
      { isDead: true, failing: 60 },
    ])
  })
})

describe('a recheck of domains whose DNS servers all do not respond', () => {
  const createLapsingDomain = async () => {
    const { org, domain } = await createVerified(`${crypto.randomUUID()}.dead.example`)
    await service.sql`update org_domains set checked_at = now()`
    await service.sql`
      update org_domains set checked_at = now() - interval '2 days', failing_since = now() - interval '8 days'
      where domain = ${domain}`
    return async () => (await ada.call(getOrg, { params: { orgId: org.id } })).domains[0]?.status
  }

  test('lets them lapse if the top-level domain responds that a random name does not exist', async () => {
    const readStatus = await createLapsingDomain()
    const queried: string[] = []
    await recheckDomains(service.sql, async (name) => {
      queried.push(name)
      return name.endsWith('.dead.example') ? undefined : []
    })
    expect(await readStatus()).toBe('lapsed')
    expect(queried).toEqual([
      expect.stringContaining('.dead.example'),
      expect.stringMatching(/^passport-[\da-f-]{36}\.example$/),
    ])
  })

  test('lets none lapse if no server responds', async () => {
    const readStatus = await createLapsingDomain()
    await recheckDomains(service.sql, async () => undefined)
    expect(await readStatus()).toBe('verified')
  })
})

describe('discovery', () => {
  const discoverRealm = async (query: { domain?: string; email?: string }, { as }: { as?: 'eve' } = { as: 'eve' }) =>
    (await (await service.as(as)).call(discover, { query })).realm

  test('returns the organisation of a verified domain, and of no other, to a signed-in user', async () => {
    const { org, domain } = await createVerified()
    const expected = {
      domain,
      kind: 'local',
      idp: 'local',
      tenantId: null,
      authority: null,
      domainHint: null,
      org: { id: org.id, name: 'Company' },
      signInUrl: '/login?idp=local',
    }
    expect(await discoverRealm({ domain: domain.toUpperCase() })).toEqual(expected)
    expect(await discoverRealm({ email: `somebody@${domain}` })).toEqual(expected)
    expect(await discoverRealm({ domain }, {})).toEqual({ ...expected, org: null })
    const pending = generateDomain()
    await createOrgWithDomains(pending)
    const unknown = { ...expected, kind: 'unknown', idp: null, org: null, signInUrl: '/login' }
    expect(await discoverRealm({ domain: pending })).toEqual({ ...unknown, domain: pending })
    expect(await discoverRealm({ domain: 'nobody.example' })).toEqual({ ...unknown, domain: 'nobody.example' })
    await ada.call(deleteOrg, { params: { orgId: org.id }, query: {} })
    expect(await discoverRealm({ domain })).toEqual({ ...unknown, domain })
    expect(await discoverRealm({})).toBeUndefined()
  })

  test.for(['domain=localhost', 'domain=10.0.0.1', 'email=nobody', 'email=a@b', 'domain=a%20b.example'])(
    'rejects %s',
    async (query) => {
      const response = await fetch(`${service.url}/passport/discovery?${query}`)
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'domain-invalid' }])
    },
  )

  test('is not cached for domain queries, which are rate limited', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const fetchDiscovery = (query: string) => fetch(`${service.url}/passport/discovery${query}`, { headers })
    const first = await fetchDiscovery('?domain=d.example')
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=30;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=29;t=\d+$/)
    for (let index = 1; index < 30; index++)
      expect((await fetchDiscovery(`?domain=d${index}.example`)).status).toBe(200)
    const rejected = await fetchDiscovery('?email=a@d.example')
    expect([rejected.status, rejected.headers.get('ratelimit')]).toEqual([429, expect.stringContaining('r=0')])
    const open = await fetchDiscovery('')
    expect([open.headers.get('cache-control'), open.headers.get('ratelimit')]).toEqual(['public, max-age=300', null])
  })
})
