import { discover } from '@passport/contract/discovery'
import * as api from '@passport/contract/org-domains'
import { createOrg, deleteOrg, getOrg, restoreOrg } from '@passport/contract/orgs'
import { type NameServer, startNameServer } from '@passport/world/dns'
import { beforeAll, describe, expect, test } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recheckDomains } from './recheck.ts'
import { txtRecords } from './txt-records.ts'

let names: NameServer
let service: TestService
let ada: Visitor

beforeAll(async () => {
  names = await startNameServer()
  atTheEnd(names.close)
  service = await startTestService({ DNS_RESOLVER: names.address, TRUSTED_PROXIES: '127.0.0.1' })
  ada = await service.as('ada')
})

let serial = 0
const someDomain = () => `company-${++serial}.example`
const orgWith = (...domains: string[]) => ada.call(createOrg, { body: { name: 'Company', domains } })
const verify = (orgId: string, domain: string) => ada.call(api.verifyOrgDomain, { params: { orgId, domain } })
const recordOf = ({ dnsName, dnsValue }: api.OrgDomain) => [dnsName, [dnsValue]] as [string, string[]]
const refusal = (status: number, code: string) => ({ status, body: { code } })

/** An organisation that has proved a domain. */
async function proved(domain = someDomain()) {
  const org = await orgWith(domain)
  const [asked] = org.domains
  if (!asked) throw new Error('It has a domain')
  names.records.set(...recordOf(asked))
  return { org, domain, asked, proof: await verify(org.id, domain) }
}

describe('a domain', () => {
  test('is proved by its record, and read back', async () => {
    const domain = someDomain()
    const { id } = await orgWith()
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
    })
    names.records.set(added.dnsName, ['v=spf1 -all', ` ${added.dnsValue} `])
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

  test('with letters of its own is asked for as DNS has it', async () => {
    const { domain, proof } = await proved('müller.example')
    expect([domain, proof.domain, proof.status]).toEqual(['müller.example', 'xn--mller-kva.example', 'verified'])
  })

  test('is not proved by another record, and what is there is told', async () => {
    const domain = someDomain()
    const { id, domains } = await orgWith(domain)
    await expect(verify(id, domain)).rejects.toMatchObject({ status: 409, body: { code: 'dns-not-found', found: [] } })
    const there = ['passport-verify=wrong', 'x'.repeat(300)]
    names.records.set(domains[0]?.dnsName ?? '', there)
    await expect(verify(id, domain)).rejects.toMatchObject({
      status: 409,
      body: { code: 'dns-not-found', found: ['passport-verify=wrong', 'x'.repeat(200)] },
    })
    names.records.set(domains[0]?.dnsName ?? '', [])
    await expect(verify(id, domain)).rejects.toMatchObject(refusal(409, 'dns-not-found'))
  })

  test('whose DNS is broken may be proved later', async () => {
    const domain = someDomain()
    const { id } = await orgWith(domain)
    names.mood = 'broken'
    await expect(verify(id, domain)).rejects.toMatchObject(refusal(503, 'dns-unavailable'))
    names.mood = 'silent'
    await expect(verify(id, domain)).rejects.toMatchObject(refusal(503, 'dns-unavailable'))
    names.mood = 'fine'
  })

  test('belongs to one organisation, also where two prove it at once', async () => {
    const domain = someDomain()
    const both = [await orgWith(domain), await orgWith(domain)]
    const values = both.flatMap(({ domains }) => domains.map(({ dnsValue }) => dnsValue))
    names.records.set(`_passport-challenge.${domain}`, values)
    const outcomes = await Promise.allSettled(both.map(({ id }) => verify(id, domain)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(refused.reason).toMatchObject(refusal(409, 'domain-taken'))
  })

  test('is taken over from an organisation that is deleted, and does not come back with it', async () => {
    const { org, domain } = await proved()
    const params = { orgId: org.id }
    await ada.call(deleteOrg, { params, query: {} })
    await proved(domain)
    const back = await ada.call(restoreOrg, { params, query: {}, body: { slug: 'company-back' } })
    expect(back.domains).toMatchObject([{ domain, status: 'lapsed' }])
  })

  test.for([
    ['gmail.com', 400, 'domain-public'],
    ['localhost', 400, 'domain-invalid'],
    ['10.0.0.1', 400, 'domain-invalid'],
    ['there.example', 409, 'domain-there'],
  ] as const)('%s is refused', async ([domain, status, code]) => {
    const { id } = await orgWith('there.example')
    await expect(ada.call(api.addOrgDomain, { params: { orgId: id }, body: { domain } })).rejects.toMatchObject(
      refusal(status, code),
    )
  })

  test('is removed once', async () => {
    const { org, domain } = await proved()
    const params = { orgId: org.id, domain }
    await ada.call(api.deleteOrgDomain, { params })
    await expect(ada.call(api.deleteOrgDomain, { params })).rejects.toMatchObject(refusal(404, 'domain-not-found'))
    await expect(verify(org.id, domain)).rejects.toMatchObject(refusal(404, 'domain-not-found'))
  })
})

describe('removing a domain', () => {
  test('is refused to whoever has an older version of the organisation', async () => {
    const { id } = await orgWith()
    const add = await ada.fetch(`/passport/admin/orgs/${id}/domains`, {
      method: 'POST',
      body: JSON.stringify({ domain: someDomain() }),
      headers: { 'content-type': 'application/json' },
    })
    const { domain } = (await add.json()) as api.OrgDomain
    const version = add.headers.get('etag') ?? ''
    expect((await ada.fetch(`/passport/admin/orgs/${id}`)).headers.get('etag')).toBe(version)
    await ada.call(api.addOrgDomain, { params: { orgId: id }, body: { domain: someDomain() } })
    const remove = (ifMatch: string) => ada.call(api.deleteOrgDomain, { params: { orgId: id, domain } }, { ifMatch })
    await expect(remove(version)).rejects.toMatchObject(refusal(412, 'precondition-failed'))
    const { domains, version: now } = await ada.call(getOrg, { params: { orgId: id } })
    expect(domains).toHaveLength(2)
    await remove(`"${now}"`)
    expect((await ada.call(getOrg, { params: { orgId: id } })).domains).toHaveLength(1)
  })
})

describe('a proved domain', () => {
  const recheck = () => recheckDomains(service.sql, txtRecords([names.address]))
  const passDays = (domain: string, days: number) =>
    service.sql`
      update org_domains set checked_at = checked_at - make_interval(days => ${days}),
        failing_since = failing_since - make_interval(days => ${days})
      where domain = ${domain}`
  const stateOf = async (orgId: string) => (await ada.call(getOrg, { params: { orgId } })).domains[0]

  test('lapses when its record has been gone for a week, and can be proved again', async () => {
    const { org, domain, asked } = await proved()
    names.records.delete(asked.dnsName)
    await passDays(domain, 1)
    await recheck()
    expect(await stateOf(org.id)).toMatchObject({ status: 'verified', failingSince: expect.any(String) })
    await passDays(domain, 7)
    await recheck()
    expect(await stateOf(org.id)).toMatchObject({ status: 'lapsed' })
    const [event] = await service.sql`select target_id, actor_id from audit_events where action = 'org.domain-lapsed'`
    expect(event).toEqual({ targetId: org.id, actorId: null })
    names.records.set(...recordOf(asked))
    expect(await verify(org.id, domain)).toMatchObject({ status: 'verified', failingSince: null })
  })

  test('whose record is back in time stays proved', async () => {
    const { org, domain, asked } = await proved()
    names.records.delete(asked.dnsName)
    await passDays(domain, 1)
    await recheck()
    names.records.set(...recordOf(asked))
    await passDays(domain, 6)
    await recheck()
    expect(await stateOf(org.id)).toMatchObject({ status: 'verified', failingSince: null })
  })

  test('is not held to a DNS that nobody can hear', async () => {
    const { org, domain } = await proved()
    await service.sql`update org_domains set checked_at = now()`
    await passDays(domain, 30)
    names.mood = 'broken'
    await recheck()
    names.mood = 'fine'
    expect(await stateOf(org.id)).toMatchObject({ status: 'verified', failingSince: null })
  })
})

describe('domains whose own DNS is dead', () => {
  const answerFrom = (heard: boolean) => async (name: string) =>
    name.endsWith('.dead.example') || !heard ? undefined : []
  const failing = (orgId: string) =>
    service.sql<{ isDead: boolean; failing: number }[]>`
      select domain like '%.dead.example' as is_dead, count(failing_since)::integer as failing
      from org_domains where org_id = ${orgId} group by 1 order by 1`

  test('fail when others answer, and keep nobody else from being looked for', async () => {
    const { org } = await proved()
    await service.sql`update org_domains set checked_at = now()`
    await service.sql`
      insert into org_domains (org_id, domain, challenge, status)
      select ${org.id}, n || '.dead.example', 'x', 'verified' from generate_series(1, 60) n`
    await service.sql`
      update org_domains set checked_at = now() - make_interval(days => case when challenge = 'x' then 3 else 2 end)
      where org_id = ${org.id}`
    await recheckDomains(service.sql, answerFrom(false))
    expect([...(await failing(org.id))]).toEqual([
      { isDead: false, failing: 0 },
      { isDead: true, failing: 0 },
    ])
    await service.sql`update org_domains set checked_at = checked_at - interval '2 days' where org_id = ${org.id}`
    await service.sql`update org_domains set checked_at = checked_at - interval '1 hour' where org_id = ${org.id} and challenge = 'x'`
    await recheckDomains(service.sql, answerFrom(true))
    expect([...(await failing(org.id))]).toEqual([
      { isDead: false, failing: 1 },
      { isDead: true, failing: 60 },
    ])
  })
})

describe('a round in which only domains are due whose own DNS is dead', () => {
  const lapsing = async () => {
    const { org, domain } = await proved(`${crypto.randomUUID()}.dead.example`)
    await service.sql`update org_domains set checked_at = now()`
    await service.sql`
      update org_domains set checked_at = now() - interval '2 days', failing_since = now() - interval '8 days'
      where domain = ${domain}`
    return async () => (await ada.call(getOrg, { params: { orgId: org.id } })).domains[0]?.status
  }

  test('lets them lapse where the servers above them say that there is no such name', async () => {
    const status = await lapsing()
    const asked: string[] = []
    await recheckDomains(service.sql, async (name) => {
      asked.push(name)
      return name.endsWith('.dead.example') ? undefined : []
    })
    expect(await status()).toBe('lapsed')
    expect(asked).toEqual([
      expect.stringContaining('.dead.example'),
      expect.stringMatching(/^passport-[\da-f-]{36}\.example$/),
    ])
  })

  test('lets none lapse where nobody answers', async () => {
    const status = await lapsing()
    await recheckDomains(service.sql, async () => undefined)
    expect(await status()).toBe('verified')
  })
})

describe('discovery', () => {
  const realmOf = async (query: { domain?: string; email?: string }) =>
    (await (await service.as(undefined)).call(discover, { query })).realm

  test('tells the organisation of a proved domain, and of no other', async () => {
    const { org, domain } = await proved()
    const found = {
      domain,
      kind: 'local',
      idp: 'local',
      tenantId: null,
      authority: null,
      domainHint: null,
      org: { id: org.id, name: 'Company' },
      signInUrl: '/login?idp=local',
    }
    expect(await realmOf({ domain: domain.toUpperCase() })).toEqual(found)
    expect(await realmOf({ email: `somebody@${domain}` })).toEqual(found)
    const pending = someDomain()
    await orgWith(pending)
    const unknown = { ...found, kind: 'unknown', idp: null, org: null, signInUrl: '/login' }
    expect(await realmOf({ domain: pending })).toEqual({ ...unknown, domain: pending })
    expect(await realmOf({ domain: 'nobody.example' })).toEqual({ ...unknown, domain: 'nobody.example' })
    await ada.call(deleteOrg, { params: { orgId: org.id }, query: {} })
    expect(await realmOf({ domain })).toEqual({ ...unknown, domain })
    expect(await realmOf({})).toBeUndefined()
  })

  test.for(['domain=localhost', 'domain=10.0.0.1', 'email=nobody', 'email=a@b', 'domain=a%20b.example'])(
    'refuses %s',
    async (query) => {
      const response = await fetch(`${service.url}/passport/discovery?${query}`)
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'domain-invalid' }])
    },
  )

  test('is kept by nobody where it is asked for a domain, and cannot be asked for many', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const ask = (query: string) => fetch(`${service.url}/passport/discovery${query}`, { headers })
    const first = await ask('?domain=d.example')
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=30;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=29;t=\d+$/)
    for (let at = 1; at < 30; at++) expect((await ask(`?domain=d${at}.example`)).status).toBe(200)
    const refused = await ask('?email=a@d.example')
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, expect.stringContaining('r=0')])
    const open = await ask('')
    expect([open.headers.get('cache-control'), open.headers.get('ratelimit')]).toEqual(['public, max-age=300', null])
  })
})
