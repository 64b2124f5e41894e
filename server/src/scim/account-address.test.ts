import { listScimRequests } from '@passport/contract/scim'
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  getUser,
  listUsers,
  setUserRoles,
  updateUser,
} from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { claimsByScope } from '../oauth/claims.ts'
import { readClaims } from '../provider/user-info.ts'
import * as users from '../users/store.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

/* Addresses between organisations: one gets an address at its own verified domains, and learns nothing about others. */

let entra: EntraService
let [one, two] = [] as unknown as [TestClient, TestClient]
beforeAll(async () => {
  entra = await startEntraService({ tenants: [createTenant(1), createTenant(2)] })
  one = await createTestClient(entra, 'company-1.example')
  two = await createTestClient(entra, 'company-2.example')
})

// Names of one length.
let serial = 100
const nextName = (domain = 'company-1.example') => `person-${++serial}@${domain}`
const withEmail = (email: string, userName = nextName()) =>
  newUser(userName, { emails: [{ primary: true, type: 'work', value: email }] })
const create = async (client: TestClient, body: object) => {
  const created = await client.send('POST', 'Users', body)
  expect(created).toMatchObject({ status: 201 })
  return created.body
}
async function find(id: string) {
  const [row] = await entra.service.sql`select email, email_verified from users where id = ${id}`
  return row
}
/** Lets an administrator say that the address of a user is proven. */
async function verifyAddress(id: string) {
  const { displayname, username, email } = await entra.ada.call(getUser, { params: { userId: id } })
  await updateAccount(id, { displayname, username, email, emailVerified: true })
}
const updateAccount = (userId: string, fields: object) =>
  entra.ada.call(updateUser, { params: { userId }, body: fields } as never)
const lastNotes = async ({ orgId }: TestClient) => {
  const { items } = await entra.ada.call(listScimRequests, { params: { orgId }, query: { limit: 1 } })
  return items[0]?.notes ?? []
}
const listHolders = async (email: string) =>
  (
    await entra.service.sql<{ id: string }[]>`
    select id from users where lower(email) = ${email} and deleted_at is null order by created_at`
  ).map(({ id }) => id)
const addUser = async (email: string, emailVerified: boolean) =>
  (await entra.ada.call(createUser, { body: { displayname: 'Holder', email, emailVerified }, query: {} } as never)).id
/** Links a login at the built-in directory. */
const linkLogin = (user_id: string, subject: string) => {
  const login = { id: subject, provider_id: 'local', issuer: 'passport-directory', subject, label: subject }
  return entra.service.sql`insert into logins ${entra.service.sql({ ...login, user_id } as never)}`
}
/** Lets the organisation of a client verify a domain, or not. */
const setVerified = ({ orgId }: TestClient, domain: string, isVerified = true) => entra.service.sql`
  insert into org_domains (org_id, domain, status, challenge) values (${orgId}, ${domain}, 'verified', 'x')
  on conflict (org_id, domain) do update set status = ${isVerified ? 'verified' : 'lapsed'}`

/** Returns what an answer discloses, without the values of the request. */
const shapeOf = ({ status, body }: Awaited<ReturnType<TestClient['send']>>, ...said: string[]) =>
  said
    .reduce((text, value) => text.replaceAll(value, '…'), JSON.stringify({ status, body }))
    .replaceAll(/"(?:id|externalId|created|lastModified|location)":"[^"]*"/g, '')
    .replaceAll(/W\/\\"[\w.-]+\\"/g, 'version')

describe('an address at a domain that another organisation has verified', () => {
  test('is not taken: the user has none, the log says why, and the answer is that of an invalid address', async () => {
    const foreign = nextName('company-2.example')
    const sent = withEmail(foreign)
    const created = await one.send('POST', 'Users', sent)
    expect(created).toMatchObject({ status: 201, body: { emails: sent.emails } })
    expect(await find(created.body.id)).toEqual({ email: null, emailVerified: false })
    expect(await lastNotes(one)).toEqual([expect.stringContaining('another organisation has verified its domain')])

    const invalid = withEmail('no address')
    const other = await one.send('POST', 'Users', invalid)
    expect(await find(other.body.id)).toEqual({ email: null, emailVerified: false })
    expect(await lastNotes(one)).toEqual([expect.stringContaining('it is not valid')])
    const [shape, ...shapes] = [
      shapeOf(created, foreign, sent.userName, sent.displayName ?? ''),
      shapeOf(other, 'no address', invalid.userName, invalid.displayName ?? ''),
    ]
    expect(shapes).toEqual([shape])
  })

  test('is not taken by a change either, and goes to the account once the other organisation has lost the domain', async () => {
    const [userName, foreign, domain] = [nextName(), 'left@sold.example', 'sold.example']
    await setVerified(two, domain)
    const { id } = await create(one, newUser(userName))
    const emails = [{ primary: true, type: 'work', value: foreign }]
    const changed = await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'emails', value: emails }))
    expect(changed).toMatchObject({ status: 200, body: { emails } })
    expect(await find(id)).toEqual({ email: null, emailVerified: false })
    const repeated = await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'title', value: 'Lead' }))
    expect(repeated).toMatchObject({ status: 200, body: { emails } })
    expect(await lastNotes(one)).toEqual([])
    expect(await one.send('PUT', `Users/${id}`, newUser(userName, { emails }))).toMatchObject({ body: { emails } })
    await setVerified(two, domain, false)
    await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'title', value: 'Head' }))
    expect(await find(id)).toEqual({ email: foreign, emailVerified: false })
    // What an account has already stays until the owner gives it to another account.
    await setVerified(two, domain)
    await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Renamed' }))
    expect(await find(id)).toEqual({ email: foreign, emailVerified: false })
    const owned = await create(two, withEmail(foreign, nextName('company-2.example')))
    expect([await find(id), await find(owned.id)]).toEqual([
      { email: null, emailVerified: false },
      { email: foreign, emailVerified: true },
    ])
  })
})

/** Records the whole answers to requests about one user, without what differs between two users and two runs. */
function createRecorder(client: TestClient, ...said: string[]) {
  const answers: string[] = []
  const ordinals = new Map<string, number>()
  let etag = ''
  const toOrdinal = (value: string) => {
    if (!ordinals.has(value)) ordinals.set(value, ordinals.size)
    return `#${ordinals.get(value)}`
  }
  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await client.send(method, path, body, headers)
    etag = answer.headers.get('etag') ?? etag
    const perRequest = ['date', 'x-trace-id', 'ratelimit']
    const shown = [...answer.headers].filter(([name]) => !perRequest.includes(name))
    const id = answer.body.id ?? ''
    answers.push(
      [...said, id]
        .filter((value) => value !== '')
        .reduce(
          (text, value) => text.replaceAll(value, '…'),
          JSON.stringify([method, answer.status, Object.fromEntries(shown), answer.body]),
        )
        .replaceAll(/person-\d+(?:[@ ]company-\d\.example)?|(?<="externalId":")[\w-]+/gi, '…')
        .replaceAll(/W\/\\*"[\w-]{22}\\*"|\d{4}-\d\d-\d\dT[\d:.]+Z/g, toOrdinal),
    )
    return answer
  }
  return { answers, send, ifMatch: () => ({ 'if-match': etag }) }
}

describe('the answers about a user whose address is refused', () => {
  test.for([
    ['no address at first', undefined],
    ['an address of the organisation at first', 'company-1.example'],
  ] as const)('are those for an invalid one, and for one that no organisation has, with %s', async ([, domain]) => {
    /** Creates, changes, replaces, deletes and restores a user, with addresses as `toAddress` returns them. */
    const record = async (toAddress: () => string) => {
      const [userName, first, second] = [nextName(), toAddress(), toAddress()]
      const own = domain === undefined ? undefined : nextName(domain)
      const recorder = createRecorder(one, first, second, userName, own ?? userName, userName.split('@')[0] ?? '')
      const toEmails = (value: string) => [{ primary: true, type: 'work', value }]
      const toUser = (value: string) => newUser(userName, { externalId: undefined, emails: toEmails(value) })
      const toPatch = (value: string) => patch({ op: 'replace', path: 'emails', value: toEmails(value) })
      const { send, ifMatch } = recorder
      const { id } = (await send('POST', 'Users', toUser(own ?? first))).body
      const path = `Users/${id}`
      await send('PATCH', path, toPatch(first), ifMatch())
      await send('PATCH', path, toPatch(first), ifMatch())
      await send('PATCH', path, patch({ op: 'replace', path: 'title', value: 'Lead' }), ifMatch())
      await send('PATCH', path, toPatch(second), ifMatch())
      await send('PUT', path, toUser(first), ifMatch())
      await send('PUT', path, toUser(first), ifMatch())
      await send('GET', path, undefined, { 'if-none-match': ifMatch()['if-match'] })
      await send('PATCH', path, toPatch(second), { 'if-match': 'W/"stale"' })
      const last = ifMatch()
      await send('POST', 'Users', withEmail(first.toUpperCase()))
      const proven = nextName()
      await addUser(proven, true)
      await send('POST', 'Users', withEmail(toAddress(), proven))
      await send('DELETE', path, undefined, last)
      return recorder.answers
    }
    const restored = async (toAddress: () => string) => {
      const [userName, address] = [nextName(), toAddress()]
      const recorder = createRecorder(one, address, userName, guidOf(userName), userName.split('@')[0] ?? '')
      const { send, ifMatch } = recorder
      const body = newUser(userName, { emails: [{ primary: true, type: 'work', value: address }] })
      const { id } = (await send('POST', 'Users', body)).body
      await send('DELETE', `Users/${id}`)
      await send('POST', 'Users', body)
      await send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'title', value: 'Lead' }), ifMatch())
      return recorder.answers
    }
    const toForeign = () => nextName('company-2.example')
    const toInvalid = () => toForeign().replace('@', ' ')
    const toElsewhere = () => nextName('company-9.example')
    const [invalid, foreign] = [await record(toInvalid), await record(toForeign)]
    expect(foreign).toEqual(invalid)
    expect(await record(toElsewhere)).toEqual(foreign)
    expect(invalid.map((answer) => JSON.parse(answer).slice(0, 2).join(' '))).toEqual([
      'POST 201',
      ...Array(4).fill('PATCH 200'),
      ...Array(2).fill('PUT 200'),
      'GET 304',
      'PATCH 412',
      ...Array(2).fill('POST 201'),
      'DELETE 204',
    ])
    const after = await restored(toForeign)
    expect([await restored(toInvalid), await restored(toElsewhere)]).toEqual([after, after])
  })

  test('stay the same when another organisation verifies the domain, and takes and loses the address', async () => {
    const domain = 'changing-hands.example'
    const [email, governed] = [`someone@${domain}`, nextName()]
    const { id } = await create(one, withEmail(email, governed))
    expect(await find(id)).toMatchObject({ email })
    const read = async () => {
      const { body, headers } = await one.send('GET', `Users/${id}`)
      return { body, etag: headers.get('etag') }
    }
    const before = await read()
    const isUnchanged = async () => {
      expect(await read()).toEqual(before)
      const repeated = patch({ op: 'replace', path: 'emails', value: [{ primary: true, type: 'work', value: email }] })
      const answer = await one.send('PATCH', `Users/${id}`, repeated, { 'if-match': before.etag ?? '' })
      expect(answer).toMatchObject({ status: 200, body: before.body })
    }
    await setVerified(two, domain)
    await isUnchanged()
    await create(two, withEmail(email, nextName('company-2.example')))
    expect(await find(id)).toMatchObject({ email: null })
    await isUnchanged()
    await setVerified(two, domain, false)
    await isUnchanged()
    expect(await find(id)).toMatchObject({ email })
  })

  test('change with the name, the state and the address that an administrator gives the account', async () => {
    const { id } = await create(one, newUser(nextName()))
    const read = async () => {
      const { body, headers } = await one.send('GET', `Users/${id}`)
      return [headers.get('etag'), (body['meta'] as { lastModified: string }).lastModified]
    }
    const versions = [await read()]
    const fields = { username: null, emailVerified: false, email: nextName(), displayname: 'Renamed' }
    await entra.ada.call(updateUser, { params: { userId: id }, body: fields })
    versions.push(await read())
    await entra.ada.call(updateUser, { params: { userId: id }, body: { ...fields, email: nextName() } })
    versions.push(await read())
    await entra.ada.call(disableUser, { params: { userId: id }, query: {} } as never)
    versions.push(await read())
    for (const index of [0, 1]) expect(new Set(versions.map((version) => version[index]))).toHaveLength(4)
  })

  test.for<[string, (id: string) => Promise<unknown>, Record<string, unknown>]>([
    ['another login', (id) => linkLogin(id, `tie-${id}`), {}],
    [
      'another organisation',
      (id) => entra.service.sql`insert into org_members (org_id, user_id, role) values (${two.orgId}, ${id}, 'member')`,
      {},
    ],
    [
      'a role',
      (userId) =>
        entra.ada.call(setUserRoles, { params: { userId }, query: {}, body: { roles: ['Passport.Developer'] } }),
      {},
    ],
    ['no name and address from the client', async () => {}, { displayName: undefined, emails: undefined }],
  ])('do not change with name and address of an account with %s', async ([, tie, fields]) => {
    const { id } = await create(one, { ...newUser(nextName()), ...fields })
    await tie(id)
    const read = async () => {
      const { body, headers } = await one.send('GET', `Users/${id}`)
      return [headers.get('etag'), body]
    }
    const before = await read()
    const body = { username: null, emailVerified: false, email: nextName(), displayname: 'Renamed' }
    await entra.ada.call(updateUser, { params: { userId: id }, body })
    expect(await read()).toEqual(before)
  })
})

describe('an organisation provisions a user with an address at its domain', () => {
  test.for([
    [
      'a client of another organisation created, before the domain was verified',
      async (email: string) => {
        await setVerified(two, 'company-2.example', false)
        const { id } = await create(one, withEmail(email))
        await setVerified(two, 'company-2.example')
        return id
      },
    ],
    [
      'the former owner of the domain vouched for, even if its user has linked another login',
      async (email: string) => {
        await setVerified(two, 'company-2.example', false)
        await setVerified(one, 'company-2.example')
        const { id } = await create(one, withEmail(email))
        expect(await find(id)).toEqual({ email, emailVerified: true })
        await setVerified(one, 'company-2.example', false)
        await setVerified(two, 'company-2.example')
        await linkLogin(id, email)
        return id
      },
    ],
    ['an administrator created without a proof', (email: string) => addUser(email, false)],
  ] as const)('and takes it from an account that %s', async ([, addHolder]) => {
    const email = nextName('company-2.example')
    const holder = await addHolder(email)
    const { id } = await create(two, newUser(email))
    expect(await listHolders(email)).toEqual([id])
    expect(await find(id)).toEqual({ email, emailVerified: true })
    expect(await lastNotes(two)).toEqual([expect.stringContaining('Another account had the email address')])
    const events = await entra.service.sql`
      select actor_id, before, after from audit_events where target_id = ${holder} and action = 'user.changed'
      order by at desc limit 1`
    expect(events).toMatchObject([
      { actorId: `scim:${two.orgId}`, before: { email }, after: { email: null, org: two.orgId } },
    ])
    const [notice] = await entra.service.sql`select kind, facts, summary from notices where user_id = ${holder}`
    expect(notice).toMatchObject({ kind: 'email-changed' })
    expect(await entra.service.sql`select recipient from mails where recipient = ${email}`).toHaveLength(1)
  })

  test('and it stays a contact if another account has proven it, or an administrator has verified it', async () => {
    const [proven, asserted] = [nextName('company-2.example'), nextName('company-2.example')]
    const holder = await addUser(proven, true)
    await linkLogin(holder, proven)
    await addUser(asserted, true)
    for (const body of [newUser(proven), newUser(asserted)]) {
      const { id, emails } = await create(two, body)
      expect(emails).toEqual(body.emails)
      expect(await find(id)).toEqual({ email: null, emailVerified: false })
      expect(await lastNotes(two)).toEqual([expect.stringContaining('it is that of another account')])
    }
    expect(await find(holder)).toEqual({ email: proven, emailVerified: true })
    const { id } = await create(two, newUser(nextName('company-2.example')))
    const emails = [{ value: asserted }]
    const changed = await two.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'emails', value: emails }))
    expect(changed).toMatchObject({ status: 200, body: { emails } })
    expect(await find(id)).toEqual({ email: null, emailVerified: false })
  })

  test('and it is a contact of a second user, in no claim, until the first one is gone', async () => {
    const { sql } = entra.service
    const shared = nextName('company-2.example')
    const first = await create(two, newUser(shared))
    const second = await create(two, withEmail(shared, nextName('company-2.example')))
    const readAll = async () => {
      const user = await users.find(sql, second.id)
      const claims = user && (await readClaims(sql, user, Object.keys(claimsByScope)))
      const { items } = await entra.ada.call(listUsers, { query: { query: shared } } as never)
      const shown = await entra.ada.call(getUser, { params: { userId: second.id } })
      return { claims, found: (items as { id: string }[]).map(({ id }) => id), shown }
    }
    const contact = await readAll()
    expect(JSON.stringify([contact.claims, contact.shown])).not.toContain(shared)
    expect(contact.found).toEqual([first.id])
    // Nobody is mailed, verified or invited by the contact, which the account does not have.
    expect(await find(second.id)).toEqual({ email: null, emailVerified: false })
    expect(second['emails']).toEqual([{ primary: true, type: 'work', value: shared }])
    await two.send('PATCH', `Users/${first.id}`, patch({ op: 'replace', path: 'active', value: false }))
    await two.send('PATCH', `Users/${second.id}`, patch({ op: 'replace', path: 'title', value: 'Lead' }))
    expect(await find(second.id)).toEqual({ email: shared, emailVerified: true })
    expect(await find(first.id)).toEqual({ email: null, emailVerified: false })
    expect((await readAll()).claims).toMatchObject({ email: shared, email_verified: true })
    // The first one comes back without it.
    const back = await two.send('PATCH', `Users/${first.id}`, patch({ op: 'replace', path: 'active', value: true }))
    expect(back.body).toMatchObject({ active: true, emails: first['emails'] })
    expect(await listHolders(shared)).toEqual([second.id])
  })

  test('and it stays that of a deactivated user whom an administrator has enabled again', async () => {
    const shared = nextName('company-2.example')
    const { id } = await create(two, newUser(shared))
    await two.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    await entra.ada.call(enableUser, { params: { userId: id }, query: {} } as never)
    await create(two, withEmail(shared, nextName('company-2.example')))
    expect(await find(id)).toEqual({ email: shared, emailVerified: true })
  })

  test('and it stays that of a deactivated user whose account has other organisations or roles', async () => {
    for (const tie of ['organisation', 'role']) {
      const email = nextName('private.example')
      const { id } = await create(one, withEmail(email))
      await verifyAddress(id)
      if (tie === 'role')
        await entra.service.sql`insert into role_members (role, user_id) values ('Passport.Admin', ${id})`
      else
        await entra.service.sql`insert into org_members (org_id, user_id, role) values (${two.orgId}, ${id}, 'member')`
      await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
      await create(one, withEmail(email))
      expect(await find(id)).toEqual({ email, emailVerified: true })
    }
  })

  test('once, of many at the same time', async () => {
    const email = nextName('company-2.example')
    const bodies = Array.from({ length: 8 }, () => withEmail(email, nextName('company-2.example')))
    const answers = await Promise.all([
      ...bodies.map((body) => two.send('POST', 'Users', body)),
      ...bodies.map(() => one.send('POST', 'Users', withEmail(email))),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toEqual(Array(16).fill(201))
    expect(await listHolders(email)).toHaveLength(1)
  })
})

describe('a change of the name by a client', () => {
  const rename = (client: TestClient, id: string) =>
    client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'displayName', value: `Renamed ${++serial}` }))
  const readVoucher = async (id: string) => {
    const [row] = await entra.service.sql`select email_verified, email_verified_by from users where id = ${id}`
    return row
  }

  test('leaves an address verified that an administrator has verified', async () => {
    const { id } = await create(one, withEmail(nextName('private.example')))
    await verifyAddress(id)
    expect(await rename(one, id)).toMatchObject({ status: 200 })
    expect(await readVoucher(id)).toEqual({ emailVerified: true, emailVerifiedBy: null })
  })

  test('turns no proof of an address into a vouch of the organisation, which another one could end', async () => {
    const { id } = await create(one, newUser(nextName()))
    expect(await readVoucher(id)).toEqual({ emailVerified: true, emailVerifiedBy: one.orgId })
    await rename(one, id)
    expect(await readVoucher(id)).toEqual({ emailVerified: true, emailVerifiedBy: one.orgId })
    await entra.service.sql`update users set email_verified_by = null where id = ${id}`
    await rename(one, id)
    expect(await readVoucher(id)).toEqual({ emailVerified: true, emailVerifiedBy: null })
  })
})

describe('what others give an account with other organisations', () => {
  test('is not shown to the client: name and address stay as it sent them', async () => {
    const sent = newUser(nextName())
    const { id } = await create(one, sent)
    await entra.service.sql`insert into org_members (org_id, user_id, role) values (${two.orgId}, ${id}, 'member')`
    const email = nextName('company-2.example')
    await updateAccount(id, { displayname: 'Lead at Two', username: null, email, emailVerified: true })
    const { body } = await one.send('GET', `Users/${id}`)
    expect(body).toMatchObject({ displayName: sent.displayName, emails: sent.emails })
  })

  test('is not shown either when the client finds a user who signed in, but for an address at its domains', async () => {
    for (const [domain, isShown] of [
      ['company-2.example', false],
      ['private.example', false],
      ['company-1.example', true],
    ] as const) {
      const email = nextName(domain)
      const id = await addUser(email, true)
      await linkLogin(id, email)
      const [objectId, issuer] = [guidOf(`${id} at one`), `entra:${one.tenantId}`]
      const login = { id: objectId, provider_id: issuer, issuer, subject: objectId, label: 'at one', user_id: id }
      await entra.service.sql`insert into logins ${entra.service.sql(login as never)}`
      const { body } = await one.send('GET', `Users?filter=externalId eq "${objectId}"`)
      expect(body).toMatchObject({ Resources: [{ id }] })
      expect(JSON.stringify(body).includes(email)).toBe(isShown)
    }
  })
})

describe('whether an account exists', () => {
  test('is not disclosed for an address at no domain of the organisation, nor for a name', async () => {
    const { sql } = entra.service
    const before =
      await sql`select id, email, username, version from users where username in ('eve', 'dev') order by id`
    const [known, unknown] = ['eve@passport.example', 'nobody@passport.example']
    const answers = await Promise.all(
      [known, unknown].map(async (email) => {
        const body = withEmail(email)
        return {
          id: email,
          shape: shapeOf(await one.send('POST', 'Users', body), email, body.userName, body.displayName ?? ''),
        }
      }),
    )
    expect(answers[0]?.shape).toBe(answers[1]?.shape)
    for (const userName of ['dev', 'dev@passport.example', 'nobody'])
      expect(await one.send('POST', 'Users', newUser(userName, { emails: [] }))).toMatchObject({ status: 201 })
    const { id } = await create(one, newUser(nextName()))
    for (const value of ['ada@passport.example', 'ghost@passport.example'])
      expect(
        await one.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'emails', value: [{ value }] })),
      ).toMatchObject({
        status: 200,
      })
    expect(
      await sql`select id, email, username, version from users where username in ('eve', 'dev') order by id`,
    ).toEqual(before)
  })

  test('is no oracle when a user comes back from the trash', async () => {
    await entra.service.sql`update users set email = 'eve.moreau@passport.example' where username = 'eve'`
    const answers = await Promise.all(
      ['eve.moreau@passport.example', 'phantom@passport.example'].map(async (email) => {
        const body = withEmail(email)
        const { id } = await create(one, body)
        await one.send('DELETE', `Users/${id}`)
        const restored = await one.send('POST', 'Users', body)
        expect(restored.body.id).toBe(id)
        return shapeOf(restored, email, body.userName, body.displayName ?? '')
      }),
    )
    expect(answers[0]).toBe(answers[1])
  })

  test('that a colleague has now does not keep a user in the trash', async () => {
    const [address, next] = [nextName(), nextName()]
    const [userName, otherName] = [nextName(), nextName()]
    const first = newUser(userName, { emails: [{ primary: true, type: 'work', value: address }] })
    const { id } = await create(one, first)
    await one.send('DELETE', `Users/${id}`)
    await create(one, newUser(otherName, { emails: [{ primary: true, type: 'work', value: address }] }))
    const returned = { ...first, emails: [{ primary: true, type: 'work', value: next }] }
    expect(await one.send('POST', 'Users', returned)).toMatchObject({ status: 201, body: { id } })
    expect(await find(id)).toMatchObject({ email: next })
  })

  test('is not disclosed by a user who comes back from the trash', async () => {
    const userName = nextName()
    const email = `${userName.split('@')[0]}@private.example`
    const { id } = await create(one, withEmail(email, userName))
    const names = { displayname: 'Named', username: `name-${serial}`, email, emailVerified: false }
    const setUsername = (userId: string) => entra.ada.call(updateUser, { params: { userId }, body: names })
    await setUsername(id)
    expect((await one.send('DELETE', `Users/${id}`)).status).toBe(204)
    const other = await addUser(email, false)
    await setUsername(other)
    expect(await create(one, withEmail(email, userName))).toMatchObject({ id })
    expect(await find(id)).toEqual({ email, emailVerified: false })
    const [row] = await entra.service.sql`select username from users where id = ${id}`
    expect(row).toEqual({ username: null })
    await entra.ada.call(deleteUser, { params: { userId: other }, query: {} } as never)
  })

  test('is disclosed for a userName of the organisation itself, which is unique, and not for an address', async () => {
    const userName = nextName()
    const email = `${userName.split('@')[0]}@private.example`
    const { id } = await create(one, withEmail(email, userName))
    for (const body of [withEmail(email), withEmail(email.toUpperCase())]) await create(one, body)
    expect(await listHolders(email)).toEqual([id])
    const taken = await one.send('POST', 'Users', newUser(userName.toUpperCase(), { externalId: undefined }))
    expect(taken).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    // As in another organisation, the userName may be the same.
    await create(two, withEmail(email, userName))
  })
})
