import type { DirectoryConfig } from '@passport/contract/directory-config'
import { findLineError } from '@passport/contract/text-fields'
import fc from 'fast-check'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodePicture } from '../branding/pictures.ts'
import { createTestDatabase, startTestService, type TestService } from '../test-service.ts'
import { applyDocument as applyUnconfirmed, compareDocument, nameOf } from './apply.ts'
import { RuleViolation } from './apply-changes.ts'
import { InvalidDocument } from './invalid-document.ts'
import { formatChange } from './lines.ts'
import { toPictureUrl } from './pictures.ts'
import { exportDocument } from './read.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let sql: TestService['sql']

beforeAll(async () => {
  service = await startTestService()
  sql = service.sql
})

/** A picture in the form in which it is stored. */
const pictureUrl = toPictureUrl((await encodePicture(await createPng(), 'logo')).content)
function createPng() {
  return sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** What every installation has; `every-kind.test.ts` changes it. */
const untouched = {
  tenants: [],
  builtInApi: { description: 'Read and change your profile, preferences and groups', tokenLifetimeSec: 3600 },
  permissions: { schema: '', assertions: [] },
  audit: { days: 365 },
}
const empty: DirectoryConfig = {
  version: 1,
  roles: [],
  orgs: [],
  groups: [],
  clients: [],
  apis: [],
  entitlements: [],
  awsProducts: [],
  contents: [],
  branding: { name: null, logo: null, favicon: null, accent: null, supportUrl: null },
  orgBrandings: [],
  corsOrigins: [],
  ...untouched,
}
const whole: DirectoryConfig = {
  version: 1,
  roles: [
    { name: 'Stage.Editor', description: 'Edits stages' },
    { name: 'Stage.Viewer', description: 'Sees stages' },
  ],
  orgs: [
    { slug: 'contoso', name: 'Contoso', domains: ['contoso.com', 'contoso.de'] },
    { slug: 'fabrikam', name: 'Fabrikam', domains: [] },
  ],
  groups: [
    { org: null, name: 'Everyone', description: '', roles: [] },
    { org: 'contoso', name: 'Editors', description: 'Who edits', roles: ['Passport.Developer', 'Stage.Editor'] },
    { org: 'fabrikam', name: 'Editors', description: 'Others', roles: ['Stage.Editor'] },
  ],
  clients: [
    {
      clientId: 'box-office',
      clientName: 'Box office',
      confidential: true,
      redirectUris: ['https://box.example/callback', 'https://box.example/a'],
      postLogoutRedirectUris: ['https://box.example/'],
      backchannelLogoutUri: 'https://box.example/logout',
      consent: 'always',
      deviceFlow: 'pin',
      scopes: ['permissions.read', 'permissions.write'],
      apis: [{ name: 'orders', scopes: ['orders.read'] }],
      idTokenSigningAlg: 'RS256',
      pkce: 'optional',
      enabled: false,
    },
  ],
  apis: [
    {
      name: 'orders',
      displayName: 'Orders',
      description: 'Your orders',
      audience: 'https://orders.example',
      enabled: false,
      scopes: [
        { name: 'orders.write', description: '', emphasize: true },
        { name: 'orders.read', description: 'Read orders', emphasize: false },
      ],
      claims: ['email', 'name'],
      tokenLifetimeSec: 600,
      allowedClients: ['box-office'],
      resourceServers: ['box-office'],
    },
  ],
  entitlements: [
    { key: 'stage.recording', kind: 'flag', name: 'Recording', description: '', unit: null, enabled: true },
    { key: 'stage.seats', kind: 'quantity', name: 'Seats', description: 'Places', unit: 'seats', enabled: false },
  ],
  awsProducts: [
    {
      name: 'Stage Studio',
      productCode: 'studio',
      productId: 'prod-studio',
      pricingModel: 'contract-with-consumption',
      integration: 'legacy',
      region: 'eu-west-1',
      snsTopicArns: ['arn:aws:sns:us-east-1:123456789012:topic'],
      dimensions: [
        { key: 'streaming_hours', kind: 'both', entitlementKey: null, unit: 'hours' },
        { key: 'seats', kind: 'entitled', entitlementKey: 'stage.seats', unit: null },
      ],
      supportEmail: 'help@stage.example',
      enabled: false,
    },
  ],
  contents: [
    { slug: 'login.notice', locale: 'en', title: 'Maintenance', body: 'Back at 9.' },
    { slug: 'terms', locale: 'pt-BR', title: '', body: '# Termos\n\nUm.' },
  ],
  branding: {
    name: 'Orchard',
    logo: pictureUrl,
    favicon: null,
    accent: { light: '#7a1f5c', dark: '#f2a6d6' },
    supportUrl: 'https://help.orchard.example/',
  },
  orgBrandings: [{ org: 'contoso', name: 'Contoso Farms', logo: pictureUrl }],
  corsOrigins: [{ stack: 'live', origins: ['http://localhost:5173', 'https://app.orchard.example'] }],
  ...untouched,
}
const words = { added: 'added', changed: 'changed', missing: 'missing' }

/** Applies a document, also what it gives to existing records. */
const applyDocument = (on: typeof sql, document: unknown, deletable?: Set<string>) =>
  applyUnconfirmed(on, document, deletable, { isConfirmed: () => true })

/** Applies a document, and deletes all entries that it lacks. */
async function applyWhole(document: unknown, on = sql) {
  const missing = (await compareDocument(on, document, { isWhole: true })).filter(({ kind }) => kind === 'missing')
  return applyDocument(on, document, new Set(missing.map(nameOf)))
}
const compareLines = async (document: unknown) =>
  (await compareDocument(sql, document, { isWhole: false })).map((change) => formatChange(change, words))
const eventsSince = async (known: number) =>
  (await sql`select action, actor_id, reason, before, after from audit_events order by at, id`).slice(known)
const countEvents = async () => (await sql`select from audit_events`).count

describe('a document', () => {
  test('is exported as it was applied, and applying it again changes nothing', async () => {
    const known = await countEvents()
    const { done, kept } = await applyDocument(sql, whole)
    expect(done.map(({ kind }) => kind)).toEqual([...Array(14).fill('added'), 'changed', 'added', 'added'])
    expect(kept).toEqual([])
    expect(await exportDocument(sql)).toEqual(whole)
    const events = await eventsSince(known)
    expect(new Set(events.map(({ actorId, reason }) => `${actorId} ${reason}`))).toEqual(new Set(['null command line']))
    expect(events.map(({ action }) => action).sort()).toEqual(
      [
        ...['role.created', 'role.created', 'org.created', 'org.created'],
        ...['group.created', 'group.created', 'group.created', 'group.roles-changed', 'group.roles-changed'],
        // The applications of an API are set once they exist.
        ...['identity-api.created', 'client.created', 'identity-api.changed', 'aws-product.created'],
        ...['entitlement.created', 'entitlement.created'],
        ...['content.created', 'content.created', 'content.published', 'content.published'],
        ...['branding.changed', 'org.branding-changed', 'cors.changed'],
      ].sort(),
    )
    expect(await applyDocument(sql, whole)).toEqual({ done: [], kept: [], joins: [] })
    expect(await countEvents()).toBe(known + events.length)
  })

  test('may have any order, and any spelling that the API accepts', async () => {
    const typed = {
      version: 1,
      roles: whole.roles.toReversed(),
      orgs: [{ slug: ' CONTOSO ', name: ' Contoso', domains: ['Contoso.DE', 'contoso.com.'] }],
      groups: whole.groups.toReversed(),
    }
    expect(await compareLines(typed)).toEqual(['missing  organisation fabrikam'])
  })

  test('is compared line by line', async () => {
    const document: DirectoryConfig = {
      version: 1,
      roles: [
        { name: 'Stage.Editor', description: 'Edits' },
        { name: 'Stage.Owner', description: 'Owns' },
      ],
      orgs: [{ slug: 'contoso', name: 'Contoso AG', domains: ['contoso.ch', 'contoso.de'] }],
      groups: [{ org: 'contoso', name: 'editors', description: 'Who edits', roles: ['Stage.Owner'] }],
    }
    const lines = [
      'changed  role Stage.Editor: description "Edits stages" → "Edits"',
      'added    role Stage.Owner',
      'missing  role Stage.Viewer',
      'changed  organisation contoso: name "Contoso" → "Contoso AG", domains +contoso.ch -contoso.com',
      'missing  organisation fabrikam',
      'missing  group Everyone',
      'changed  group editors of contoso: name "Editors" → "editors", roles +Stage.Owner -Passport.Developer -Stage.Editor',
      'missing  group Editors of fabrikam',
    ]
    expect(await compareLines(document)).toEqual(lines)
    const { done, kept } = await applyDocument(sql, document)
    expect(done.map((change) => formatChange(change, words))).toEqual(
      lines.filter((line) => !line.startsWith('missing')),
    )
    expect(kept.map((change) => formatChange(change, words))).toEqual(
      lines.filter((line) => line.startsWith('missing')),
    )
    expect(await compareLines(document)).toEqual(lines.filter((line) => line.startsWith('missing')))
  })

  test('deletes missing entries only if requested, and softly', async () => {
    const known = await countEvents()
    const { kept } = await applyDocument(sql, whole, new Set(['role Stage.Owner']))
    expect(kept).toEqual([])
    expect(await exportDocument(sql)).toEqual(whole)
    const { done } = await applyWhole({ ...empty, roles: whole.roles })
    expect(done).toHaveLength(15)
    expect(await exportDocument(sql)).toEqual({ ...empty, roles: whole.roles })
    const actions = (await eventsSince(known)).map(({ action }) => action)
    expect(actions.filter((action) => action.endsWith('.deleted')).sort()).toEqual([
      ...[
        'aws-product.deleted',
        'client.deleted',
        'content.deleted',
        'content.deleted',
        'entitlement.deleted',
        'entitlement.deleted',
        'group.deleted',
        'identity-api.deleted',
        'org.deleted',
        'org.deleted',
      ],
      'role.deleted',
    ])
    const ada = await service.as('ada')
    const [org] = await sql`select id from orgs where slug = 'contoso'`
    const restored = await ada.fetch(`/passport/admin/orgs/${org?.['id']}/restore`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(restored.status).toBe(200)
    const { orgs, groups } = await exportDocument(sql)
    expect(orgs).toEqual([whole.orgs[0]])
    expect(groups).toEqual([whole.groups[1]])
  })

  test('does not delete entries that were added after the confirmation', async () => {
    const { kept } = await applyDocument(sql, { ...empty, roles: whole.roles }, new Set())
    expect(kept).toHaveLength(2)
  })
})

describe('applying a document', () => {
  test('is rejected as a whole if no administrator would be left', async () => {
    const sql = (await startTestService()).sql
    const admins = { org: null, name: 'Admins', description: '', roles: ['Passport.Admin'] }
    await applyDocument(sql, { ...empty, groups: [admins] })
    await sql`
      insert into group_members (group_id, user_id)
      select g.id, m.user_id from groups g, role_members m where m.role = 'Passport.Admin' and g.name = 'Admins'`
    await sql`delete from role_members where role = 'Passport.Admin'`
    const document = { ...empty, roles: whole.roles, groups: [{ ...admins, roles: [] }] }
    const rejected = await applyDocument(sql, document).catch((error) => error)
    expect(rejected).toBeInstanceOf(RuleViolation)
    expect(rejected.message).toMatch(/^groups\[0\]: At least one active administrator is required/)
    expect(await exportDocument(sql)).toEqual({ ...empty, groups: [admins] })
    await expect(applyWhole(empty, sql)).rejects.toThrow(/^group \/admins: At least one active administrator/)
  })

  test('succeeds before there is an administrator', async () => {
    const sql = await createTestDatabase()
    await applyDocument(sql, whole)
    expect(await exportDocument(sql)).toEqual(whole)
    await applyWhole(empty, sql)
    expect(await exportDocument(sql)).toEqual(empty)
  })

  test('restores a deleted application with its secrets, and one without applications leaves them as they are', async () => {
    const sql = await createTestDatabase()
    const { clients: [client] = [], apis, ...others } = whole
    await applyDocument(sql, whole)
    await sql`insert into client_secrets (id, client_id, secret_hash) values ('s', 'box-office', 'hash')`
    expect((await applyWhole(others, sql)).done).toEqual([])
    expect((await applyWhole({ ...others, clients: [] }, sql)).done).toHaveLength(1)
    const renamed = { ...others, clients: [{ ...client, clientName: 'Tickets', enabled: true }] }
    const joins = ['application box-office: restored from the trash with 1 secret']
    await expect(applyUnconfirmed(sql, renamed)).rejects.toMatchObject({ joins })
    expect((await exportDocument(sql)).clients).toEqual([])
    const { done } = await applyDocument(sql, renamed)
    expect(done.map(({ kind, key }) => [kind, key])).toEqual([['added', 'box-office']])
    expect(await exportDocument(sql)).toEqual({ ...renamed, apis })
    expect(await sql`select from client_secrets`).toHaveLength(1)
    const lines = (await compareDocument(sql, whole, { isWhole: true })).map((change) => formatChange(change, words))
    expect(lines).toEqual([
      'changed  application box-office: clientName "Tickets" → "Box office", enabled true → false',
    ])
  })

  test('moves a scope from an application and its API to another one, and restores a deleted API', async () => {
    const sql = await createTestDatabase()
    await applyDocument(sql, whole)
    const { clients: [client] = [], apis: [api] = [], ...others } = whole
    const scopes = [{ name: 'orders.list', description: 'List', emphasize: false }]
    const moved = {
      ...others,
      clients: [{ ...client, apis: [{ name: 'orders', scopes: ['orders.list'] }] }],
      apis: [{ ...api, scopes, tokenLifetimeSec: 60 }],
    }
    const lines = (await compareDocument(sql, moved, { isWhole: true })).map((change) => formatChange(change, words))
    expect(lines).toEqual([
      'changed  API orders: scopes +orders.list("List") -orders.write("" emphasized) -orders.read("Read orders"), tokenLifetimeSec 600 → 60',
      'changed  application box-office: apis +orders(orders.list) -orders(orders.read)',
    ])
    await applyDocument(sql, moved)
    expect(await exportDocument(sql)).toEqual(moved)
    await applyWhole({ ...empty, apis: undefined }, sql)
    expect((await exportDocument(sql)).apis).toHaveLength(1)
    await applyWhole(empty, sql)
    expect(await exportDocument(sql)).toEqual(empty)
    expect((await applyDocument(sql, moved)).joins).toEqual(
      expect.arrayContaining(['API orders: restored from the trash with the scopes that users and applications have']),
    )
    expect(await exportDocument(sql)).toEqual(moved)
    const builtIn = { ...empty, apis: [{ ...api, name: 'api_vertex_core' }] }
    const rejected = await compareDocument(sql, builtIn, { isWhole: false }).catch((error) => error)
    expect(rejected.errors).toEqual([expect.objectContaining({ field: 'apis[0].name', code: 'built-in' })])
  })

  test('changes the dimensions of an AWS product, whose entitlements must exist', async () => {
    const sql = await createTestDatabase()
    const [product] = whole.awsProducts ?? []
    const entitlements = whole.entitlements?.slice(1) ?? []
    const only = (fields: object) => ({ ...empty, entitlements, awsProducts: [{ ...product, ...fields }] })
    await applyDocument(sql, only({}))
    const dimensions = [{ key: 'seats', kind: 'both', entitlementKey: 'stage.seats', unit: 'seats' }]
    const changed = only({ dimensions })
    const lines = (await compareDocument(sql, changed, { isWhole: true })).map((change) => formatChange(change, words))
    expect(lines).toEqual([
      'changed  AWS product studio: dimensions +seats(both seats stage.seats) -streaming_hours(both hours) -seats(entitled stage.seats)',
    ])
    const unknown = only({ dimensions: [{ ...dimensions[0], entitlementKey: 'stage.none' }] })
    await expect(applyDocument(sql, unknown)).rejects.toThrow(
      /^awsProducts\[0\]: The entitlement stage.none does not exist/,
    )
    await applyDocument(sql, changed)
    expect(await exportDocument(sql)).toEqual(changed)
    expect((await applyWhole({ ...empty, entitlements, awsProducts: undefined }, sql)).done).toEqual([])
    const twice = { ...changed, awsProducts: [...changed.awsProducts, ...changed.awsProducts] }
    const rejected = await compareDocument(sql, twice, { isWhole: false }).catch((error) => error)
    expect(rejected.errors).toEqual([
      expect.objectContaining({ field: 'awsProducts[1].productCode', code: 'repeated' }),
    ])
  })

  test('changes an entitlement but for its kind, restores a deleted one with its grants, and deletes none that is sold', async () => {
    const sql = await createTestDatabase()
    const { entitlements = [], awsProducts } = whole
    const [recording, seats] = entitlements
    await applyDocument(sql, whole)
    await sql`
      insert into entitlement_grants (id, entitlement_id, org_id, starts_at, source)
      select 'g', e.id, o.id, now(), 'manual' from entitlements e, orgs o where e.key = 'stage.recording' and o.slug = 'contoso'`
    const renamed = { ...empty, entitlements: [{ ...recording, name: 'Tape', enabled: false }, seats], awsProducts }
    const lines = (await compareDocument(sql, renamed, { isWhole: false })).map((change) => formatChange(change, words))
    expect(lines).toContain('changed  entitlement stage.recording: name "Recording" → "Tape", enabled true → false')
    await applyDocument(sql, renamed)
    expect((await exportDocument(sql)).entitlements).toEqual(renamed.entitlements)
    const other = { ...empty, entitlements: [{ ...recording, kind: 'quantity' }] }
    const rejected = await compareDocument(sql, other, { isWhole: false }).catch((error) => error)
    expect(rejected.errors).toEqual([expect.objectContaining({ field: 'entitlements[0].kind', code: 'immutable' })])
    await expect(applyWhole({ ...whole, entitlements: [recording] }, sql)).rejects.toThrow(
      /^entitlement stage.seats: .*is sold as this entitlement/,
    )
    await applyWhole({ ...whole, entitlements: [seats] }, sql)
    await expect(applyDocument(sql, other)).rejects.toThrow(/^entitlements\[0\]: An entitlement with this key/)
    expect((await applyDocument(sql, whole)).joins).toEqual([
      'entitlement stage.recording: restored from the trash with its grants',
    ])
    expect(await exportDocument(sql)).toEqual(whole)
    expect(await sql`select from entitlement_grants where id = 'g' and ends_at is null`).toHaveLength(1)
    const twice = { ...empty, entitlements: [seats, seats] }
    const repeated = await compareDocument(sql, twice, { isWhole: false }).catch((error) => error)
    expect(repeated.errors).toEqual([expect.objectContaining({ field: 'entitlements[1].key', code: 'repeated' })])
  })

  test('encodes pictures again, and resets brandings and origins that are missing', async () => {
    const branding = { ...whole.branding, name: 'Other', logo: toPictureUrl(await createPng()) } as never
    const orgBrandings = [{ org: 'contoso', name: null, logo: pictureUrl }]
    await applyWhole({ ...empty, orgs: whole.orgs, branding, orgBrandings, corsOrigins: whole.corsOrigins }, sql)
    const stored = await exportDocument(sql)
    expect(stored.branding).toMatchObject({ name: 'Other', logo: pictureUrl })
    expect(stored).toMatchObject({ orgBrandings, corsOrigins: whole.corsOrigins })
    await applyWhole(empty, sql)
    expect(await exportDocument(sql)).toMatchObject({ ...empty, roles: [] })
    const page = `data:image/png;base64,${Buffer.from('<script>').toString('base64')}`
    const wrong = {
      ...empty,
      branding: { ...empty.branding, logo: page },
      orgBrandings: [{ org: 'nobody', name: 'x', logo: null }],
    }
    const rejected = await compareDocument(sql, wrong, { isWhole: true }).catch((error) => error)
    expect(rejected.errors).toEqual([expect.objectContaining({ field: 'orgBrandings[0].org', code: 'not-found' })])
    const unreadable = await compareDocument(sql, { ...wrong, orgBrandings: [] }, { isWhole: true }).catch((e) => e)
    expect(unreadable.errors).toEqual([expect.objectContaining({ field: 'branding.logo', code: 'picture-type' })])
  })

  test('publishes a changed text, restores a deleted one, and leaves drafts as they are', async () => {
    const sql = await createTestDatabase()
    const [notice] = whole.contents ?? []
    const only = (fields: object) => ({ ...empty, contents: [{ ...notice, ...fields }] })
    await applyDocument(sql, only({}))
    const long = 'a'.repeat(1000)
    const lines = (await compareDocument(sql, only({ body: long }), { isWhole: true })).map((change) =>
      formatChange(change, words),
    )
    expect(lines).toEqual([`changed  text login.notice/en: body "Back at 9." → "${'a'.repeat(80)}…"`])
    await applyDocument(sql, only({ body: long }))
    expect(await exportDocument(sql)).toEqual(only({ body: long }))
    expect((await applyWhole(empty, sql)).done).toHaveLength(1)
    expect(await exportDocument(sql)).toEqual(empty)
    await applyDocument(sql, only({}))
    expect(await exportDocument(sql)).toEqual(only({}))
    expect((await applyWhole({ ...empty, contents: undefined }, sql)).done).toEqual([])
    const twice = { ...empty, contents: [notice, { ...notice, locale: 'EN' }] }
    const rejected = await compareDocument(sql, twice, { isWhole: false }).catch((error) => error)
    expect(rejected.errors).toEqual([expect.objectContaining({ field: 'contents[1].locale', code: 'repeated' })])
  })

  test('keeps the members of a changed group', async () => {
    const { id } = await service.as('eve')
    await applyDocument(sql, whole)
    await sql`
      insert into group_members (group_id, user_id)
      select g.id, ${id} from groups g join orgs o on o.id = g.org_id where o.slug = 'fabrikam' and g.deleted_at is null`
    const readRoles = async () =>
      (await sql`select role from effective_roles where user_id = ${id} order by role`).map(({ role }) => role)
    expect(await readRoles()).toEqual(['Stage.Editor'])
    const [everyone, editors, others] = whole.groups
    const renamed = { ...others, description: 'Still others', roles: ['Stage.Editor', 'Stage.Viewer'] }
    await applyDocument(sql, { ...whole, groups: [everyone, editors, renamed] })
    expect(await readRoles()).toEqual(['Stage.Editor', 'Stage.Viewer'])
  })
})

describe('an invalid document', () => {
  const findErrors = async (document: unknown, isWhole = false) => {
    const error = await compareDocument(sql, document, { isWhole }).catch((error) => error)
    expect(error).toBeInstanceOf(InvalidDocument)
    return (error as InvalidDocument).errors.map(({ field, code }) => `${field} ${code}`)
  }

  test.for([
    ['nothing', null, ['document invalid-type']],
    ['a string', 'roles', ['document invalid-type']],
    ['a list', [], ['document invalid-type']],
    ['another version', { ...empty, version: 2 }, ['version invalid-value']],
    ['an unknown field', { ...empty, people: [] }, ['document unrecognized-keys']],
  ] as const)('such as %s is rejected with the path of the error', async ([, document, errors]) => {
    expect(await findErrors(document)).toEqual(errors)
  })

  test('is rejected with all errors at once, each with its path', async () => {
    const document = {
      version: 1,
      roles: [
        { name: 'stage editor', description: 'Edits' },
        { name: 'Passport.Admin', description: 'Mine' },
        { name: 'Stage.Twice', description: '' },
        { name: 'Stage.Twice', description: 'Again' },
      ],
      orgs: [
        { slug: 'contoso', name: 'Contoso', domains: ['gmail.com', 'no domain', 'a.example', 'A.example'] },
        { slug: 'Contoso', name: 'Contoso', domains: [] },
        { slug: 'x', name: 'X' },
      ],
      groups: [
        { org: 'nowhere', name: 'G', description: '', roles: ['Stage.Twice', 'Stage.Nobody', 'Stage.Twice'] },
        { org: null, name: 'Same', description: '', roles: [] },
        { org: null, name: 'sAME', description: '\u202e', roles: [] },
        { org: 'contoso', name: 'Same', description: '', roles: [], extra: 1 },
        { org: null, description: '', roles: [7] },
      ],
    }
    expect((await findErrors(document)).sort()).toEqual([
      'groups[0].org not-found',
      'groups[0].roles[1] not-found',
      'groups[0].roles[2] repeated',
      'groups[2].description description-invalid',
      'groups[2].name repeated',
      'groups[3] unrecognized-keys',
      'groups[4].name missing',
      'groups[4].roles[0] invalid-type',
      'orgs[0].domains[0] domain-public',
      'orgs[0].domains[1] domain-invalid',
      'orgs[0].domains[3] repeated',
      'orgs[1].slug repeated',
      'orgs[2].domains missing',
      'roles[0].name role-name-invalid',
      'roles[1].name role-built-in',
      'roles[2].description description-invalid',
      'roles[3].name repeated',
    ])
  })

  test('is rejected if it changes the kind of an application, or one that the console does not manage, or adds a user id', async () => {
    await applyDocument(sql, whole)
    const [client] = whole.clients ?? []
    const clients = [
      { ...client, confidential: false, scopes: [], apis: [], pkce: 'required' },
      { ...client, clientId: 'passport-dev-tokens' },
      { ...client, clientId: 'mixed', scopes: ['passport.admin'] },
      { ...client, clientId: 'mixed' },
      { ...client, clientId: 'secretive', clientSecret: 'x' },
      { ...client, clientId: crypto.randomUUID() },
    ]
    const rejected = await compareDocument(sql, { ...empty, clients }, { isWhole: false }).catch((error) => error)
    expect(rejected.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'clients[0].confidential',
      'clients[1].clientId',
      'clients[2].scopes',
      'clients[3].clientId',
      'clients[4]',
      'clients[5].clientId',
    ])
  })

  test('may be one that refers to entries that it deletes', async () => {
    await applyDocument(sql, whole)
    const document = { ...empty, groups: [{ org: 'contoso', name: 'G', description: '', roles: ['Stage.Editor'] }] }
    expect(await compareDocument(sql, document, { isWhole: false })).not.toEqual([])
    expect(await findErrors(document, true)).toEqual(['groups[0].org not-found', 'groups[0].roles[0] not-found'])
  })

  test('may be one with text that the database cannot store', async () => {
    const name = 'G\ud800'
    expect(await findErrors({ ...empty, groups: [{ org: null, name, description: '', roles: [] }] })).toEqual([
      'groups[0].name invalid-text',
    ])
  })

  test('may be any value, and is rejected with InvalidDocument', async () => {
    const keys = fc.constantFrom('version', 'roles', 'orgs', 'groups', 'name', 'slug', 'domains', 'org')
    const anything = fc.anything({ key: keys, maxDepth: 4, withNullPrototype: false })
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, fc.record({ version: fc.constant(1), groups: anything })), async (value) => {
        await expect(compareDocument(sql, value, { isWhole: false })).rejects.toBeInstanceOf(InvalidDocument)
      }),
    )
  })
})

describe('each of a sequence of documents', () => {
  const some = <T>(of: fc.Arbitrary<T>, selector: (item: T) => unknown) =>
    fc.uniqueArray(of, { maxLength: 4, selector }) as fc.Arbitrary<T[]>
  const text = fc
    .oneof(
      fc.constantFrom('A', 'a', 'Ä', 'ä', 'İ', 'ß', 'Σ', 'Größe 🎭', 'it’s "x"', '\\', '$1', 'नमस्ते'),
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
        .filter((text) => /^[\p{L}\p{N}].*[\p{L}\p{N}]$/u.test(text)),
    )
    .map((text) => text.normalize('NFC').trim())
    .filter((text) => findLineError(text, 12) === undefined)
  const roleNames = ['Stage', 'Stage.Editor', 'Stage.Viewer', 'Z']
  const slugs = ['a', 'b-c', 'contoso', '7']
  const domains = ['a.example', 'b.example', 'xn--bcher-kva.example']
  const role = fc.record({ name: fc.constantFrom(...roleNames), description: text })
  const org = fc.record({ slug: fc.constantFrom(...slugs), name: text, domains: fc.subarray(domains) })
  const fold = (name: string) => name.toLowerCase().toUpperCase()

  const documents = fc
    .record({ roles: some(role, ({ name }) => name), orgs: some(org, ({ slug }) => slug) })
    .chain(({ roles, orgs }) => {
      const names = [...roles.map(({ name }) => name), 'Passport.Admin', 'Passport.Developer'].sort()
      const group = fc.record({
        org: fc.constantFrom(null, ...orgs.map(({ slug }) => slug)),
        name: text,
        description: fc.oneof(fc.constant(''), text),
        roles: fc.subarray(names),
      })
      const groups = some(group, ({ org, name }) => `${org}/${fold(name)}`)
      return fc.record({ version: fc.constant(1 as const), roles: fc.constant(roles), orgs: fc.constant(orgs), groups })
    })

  test('is applied, equals the export, and has no differences afterwards', async () => {
    const sql = await createTestDatabase()
    await fc.assert(
      fc.asyncProperty(documents, fc.boolean(), async (document, isWhole) => {
        await (isWhole ? applyWhole(document, sql) : applyDocument(sql, document))
        const differences = await compareDocument(sql, document, { isWhole: false })
        expect(differences.filter(({ kind }) => kind !== 'missing')).toEqual([])
        if (isWhole) expect(differences).toEqual([])
        const exported = await exportDocument(sql)
        for (const list of ['roles', 'orgs', 'groups'] as const)
          expect<unknown[]>(exported[list]).toEqual(expect.arrayContaining<unknown>(document[list]))
        if (isWhole)
          for (const list of ['roles', 'orgs', 'groups'] as const)
            expect(exported[list]).toHaveLength(document[list].length)
        const events = (await sql`select from audit_events`).count
        expect((await applyDocument(sql, document)).done).toEqual([])
        expect((await applyWhole(exported, sql)).done).toEqual([])
        expect((await sql`select from audit_events`).count).toBe(events)
        expect(JSON.stringify(await exportDocument(sql))).toBe(JSON.stringify(exported))
      }),
      { numRuns: numRuns / 4 },
    )
  }, 240_000)
})
