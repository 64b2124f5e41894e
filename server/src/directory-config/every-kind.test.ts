import { endpoints } from '@passport/contract/api'
import type { DirectoryConfig } from '@passport/contract/directory-config'
import { findLineError } from '@passport/contract/text-fields'
import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { encodePicture } from '../branding/pictures.ts'
import { readGuideBlocks } from '../docs/test-guide.ts'
import { createTestDatabase } from '../test-service.ts'
import { applyDocument, compareDocument } from './apply.ts'
import { InvalidDocument } from './invalid-document.ts'
import { formatChange } from './lines.ts'
import { toPictureUrl } from './pictures.ts'
import { exportDocument } from './read.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const png = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
const pictureUrl = toPictureUrl((await encodePicture(png, 'logo')).content)

/** Text that a shell, JSON, SQL, HTML or a terminal could misread. */
const unusual = `It's "50 %" of $HOME & <b>é</b> 日本 \\n`

/** A configuration with every kind, and with every member set to another value than the default. */
const every: DirectoryConfig = {
  version: 1,
  roles: [
    { name: 'Stage.Editor', description: unusual },
    { name: 'Stage.Viewer', description: 'Sees' },
  ],
  orgs: [
    { slug: 'contoso', name: unusual, domains: ['contoso.com', 'xn--bcher-kva.example'] },
    { slug: 'fabrikam', name: 'Fabrikam', domains: [] },
  ],
  groups: [
    { org: null, name: `Everyone ${unusual}`, description: unusual, roles: ['Passport.Developer'] },
    { org: 'fabrikam', name: unusual, description: '', roles: ['Stage.Editor'] },
  ],
  clients: [
    {
      clientId: 'box-office',
      clientName: unusual,
      confidential: true,
      redirectUris: ['https://box.example/callback?a=%27b%27&c=d'],
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
      displayName: unusual,
      description: unusual,
      audience: 'https://orders.example',
      enabled: false,
      scopes: [
        { name: 'orders.write', description: unusual, emphasize: true },
        { name: 'orders.read', description: '', emphasize: false },
      ],
      claims: ['email', 'name'],
      tokenLifetimeSec: 600,
      allowedClients: ['box-office'],
      resourceServers: ['box-office'],
    },
  ],
  builtInApi: { description: unusual, tokenLifetimeSec: 900 },
  entitlements: [
    { key: 'stage.seats', kind: 'quantity', name: unusual, description: unusual, unit: 'seats', enabled: false },
  ],
  awsProducts: [
    {
      name: unusual,
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
  contents: [{ slug: 'terms', locale: 'pt-BR', title: unusual, body: `# ${unusual}\n\n- 'a'\n- "b"` }],
  branding: {
    name: unusual,
    logo: pictureUrl,
    favicon: pictureUrl,
    accent: { light: '#7a1f5c', dark: '#f2a6d6' },
    supportUrl: 'https://help.orchard.example/?q=%27',
  },
  orgBrandings: [{ org: 'contoso', name: unusual, logo: pictureUrl }],
  corsOrigins: [{ stack: 'live', origins: ['http://localhost:5173', 'https://app.orchard.example'] }],
  tenants: [
    {
      org: 'fabrikam',
      tenantId: '6ac0b21e-4f7d-4a41-9c57-1d2f0f8f2a10',
      cloud: 'AzurePublic',
      allowGuests: true,
      mappings: [
        { appRole: `Stage.'Author'`, role: 'Stage.Viewer' },
        { groupObjectId: '0d6c4f3a-58f0-4c0e-9d05-6f0b61f4b9b1', group: { org: 'fabrikam', name: unusual } },
      ],
    },
  ],
  permissions: {
    schema: `definition user {}

/** ${unusual} */
definition document {
  relation viewer: user
  permission view = viewer
}`,
    assertions: [
      {
        kind: 'assertCaveated',
        question: {
          context: { hour: 10, place: unusual },
          permission: 'view',
          resource: { id: 'a', type: 'document' },
          subject: { id: 'ada', type: 'user' },
        },
      },
      { kind: 'validation', permission: 'view', resource: { id: 'a', type: 'document' }, subjects: ['[user:ada]'] },
    ],
  },
  audit: { days: 400 },
} as DirectoryConfig

const words = { added: 'added', changed: 'changed', missing: 'missing' }

test('every kind is applied to an empty installation, and exported as it was', async () => {
  const sql = await createTestDatabase()
  const before = await exportDocument(sql)
  const preview = await applyDocument(sql, every, undefined, { isDryRun: true })
  expect(await exportDocument(sql)).toEqual(before)
  expect(await sql`select from audit_events where reason = 'command line'`).toHaveLength(0)

  const { done } = await applyDocument(sql, every)
  expect(done.map((change) => formatChange(change, words))).toEqual(
    preview.done.map((change) => formatChange(change, words)),
  )
  expect(new Set(done.map(({ entity }) => entity)).size).toBe(15)
  const exported = await exportDocument(sql)
  expect(exported).toEqual(every)
  const versions = await readVersions(sql)
  expect(await applyDocument(sql, exported)).toEqual({ done: [], kept: [], joins: [] })
  expect(await readVersions(sql)).toEqual(versions)
})

/** Reads the number of audit events, and the versions of the records. */
const readVersions = (sql: Awaited<ReturnType<typeof createTestDatabase>>) =>
  sql`
    select (select count(*) from audit_events) as events, (select max(version) from orgs) as orgs,
      (select max(version) from groups) as groups, (select count(*) from content_versions) as texts,
      (select count(*) from permission_schemas) as schemas`

test('any texts of any kind are exported as they were applied, and then have no differences', async () => {
  const sql = await createTestDatabase()
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => text.normalize('NFC').trim())
  const text = fc.oneof(
    fc.constantFrom(unusual, '\\', '$1', '--', '"', "''", '{}', 'İ', 'नमस्ते'),
    line.filter((text) => findLineError(text, 12) === undefined),
  )
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      fc.boolean(),
      fc.integer({ min: 365, max: 36_500 }),
      async (name, more, isOn, days) => {
        const document = {
          ...every,
          roles: every.roles.map((role) => ({ ...role, description: more })),
          orgs: every.orgs.map((org) => ({ ...org, name })),
          groups: every.groups.map((group) => ({ ...group, description: more })),
          clients: every.clients?.map((client) => ({ ...client, clientName: name, enabled: isOn })),
          apis: every.apis?.map((api) => ({ ...api, displayName: name, description: more, enabled: isOn })),
          builtInApi: { description: more, tokenLifetimeSec: 60 + days },
          entitlements: every.entitlements?.map((entitlement) => ({ ...entitlement, name, description: more })),
          awsProducts: every.awsProducts?.map((product) => ({ ...product, name, enabled: isOn })),
          contents: every.contents?.map((content) => ({ ...content, title: name, body: more })),
          branding: { ...every.branding, name },
          orgBrandings: every.orgBrandings?.map((branding) => ({ ...branding, name: more })),
          tenants: every.tenants?.map((tenant) => ({ ...tenant, allowGuests: isOn })),
          permissions: { ...every.permissions, schema: `/** ${more.replaceAll('*/', '')} */\ndefinition user {}` },
          audit: { days },
        }
        const withoutAssertions = { ...document, permissions: { ...document.permissions, assertions: [] } }
        // It enables applications again.
        await applyDocument(sql, withoutAssertions, undefined, { isConfirmed: () => true })
        const exported = await exportDocument(sql)
        expect(exported).toEqual(withoutAssertions)
        expect((await applyDocument(sql, exported)).done).toEqual([])
      },
    ),
    { numRuns: numRuns / 10 },
  )
})

test('the differences of long texts, mappings and assertions are readable', async () => {
  const sql = await createTestDatabase()
  await applyDocument(sql, every)
  const changed = {
    ...every,
    tenants: every.tenants?.map((tenant) => ({ ...tenant, mappings: tenant.mappings.slice(0, 1) })),
    permissions: {
      schema: every.permissions?.schema.replace('view = viewer', 'view = viewer\n  permission edit = viewer'),
      assertions: every.permissions?.assertions.slice(1),
    },
    audit: { days: 365 },
  }
  const changes = await compareDocument(sql, changed, { isWhole: false })
  expect(changes.map((change) => formatChange(change, words))).toEqual([
    `changed  tenant of fabrikam: mappings -(0d6c4f3a-58f0-4c0e-9d05-6f0b61f4b9b1 → group ${unusual} of fabrikam)`,
    `changed  permissions of installation: schema +  permission edit = viewer, assertions -(assertCaveated document:a#view@user:ada with {"hour":10,"place":${JSON.stringify(unusual)}})`,
    'changed  audit log of installation: days 400 → 365',
  ])
  await applyDocument(sql, changed)
  expect(await compareDocument(sql, changed, { isWhole: true })).toEqual([])
})

test('the example of the guide is complete, and gives an equal installation', async () => {
  const sql = await createTestDatabase()
  const guide = readGuideBlocks('the-directory-as-a-file')
  guide.take('sh')
  const example = JSON.parse(guide.take('json'))
  await applyDocument(sql, example)
  expect(await compareDocument(sql, example, { isWhole: false })).toEqual([])
})

test('the errors of a document have the path of the entry', async () => {
  const sql = await createTestDatabase()
  await applyDocument(sql, every)
  const [tenant] = every.tenants ?? []
  const invalid = {
    ...every,
    tenants: [
      { ...tenant, tenantId: '11111111-2222-4333-8444-555555555555', mappings: [{ appRole: 'A', role: 'Nobody' }] },
      { ...tenant, org: 'nowhere', cloud: 'AzurePublic' },
      { org: 'contoso', tenantId: '9188040d-6c67-4c5b-b112-36a304b66dad', cloud: '', allowGuests: false },
    ],
    permissions: { schema: 'definition user {\n  relation x: nobody\n}', assertions: [] },
    audit: { days: 1 },
    builtInApi: { description: '', tokenLifetimeSec: 5 },
  }
  const rejected = await compareDocument(sql, invalid, { isWhole: false }).catch((error) => error)
  expect(rejected).toBeInstanceOf(InvalidDocument)
  const fields = new Set((rejected as InvalidDocument).errors.map(({ field }) => field))
  expect([...fields].sort()).toEqual([
    'audit.days',
    'builtInApi.tokenLifetimeSec',
    'permissions.schema',
    'tenants[0].mappings[0].role',
    'tenants[0].tenantId',
    'tenants[1].org',
    'tenants[1].tenantId',
    'tenants[2].cloud',
    'tenants[2].mappings',
    'tenants[2].tenantId',
  ])
  const inSpiceDb = compareDocument(sql, every, { isWhole: false, usesSpiceDb: true })
  await expect(inSpiceDb).rejects.toThrow('permissions: The permissions of this installation are in SpiceDB')
  expect(await exportDocument(sql, { usesSpiceDb: true })).not.toHaveProperty('permissions.schema')
})

/** The member of the file that describes what these calls change. */
const kinds: Record<string, keyof DirectoryConfig> = {
  createRole: 'roles',
  putRole: 'roles',
  deleteRole: 'roles',
  createOrg: 'orgs',
  putOrg: 'orgs',
  deleteOrg: 'orgs',
  restoreOrg: 'orgs',
  addOrgDomain: 'orgs',
  deleteOrgDomain: 'orgs',
  createEntraOrg: 'tenants',
  putEntra: 'tenants',
  createGroup: 'groups',
  putGroup: 'groups',
  putGroupRoles: 'groups',
  deleteGroup: 'groups',
  restoreGroup: 'groups',
  createClient: 'clients',
  putClient: 'clients',
  deleteClient: 'clients',
  restoreClient: 'clients',
  createIdentityApi: 'apis',
  putIdentityApi: 'apis',
  deleteIdentityApi: 'apis',
  restoreIdentityApi: 'apis',
  importApiScopes: 'apis',
  createEntitlement: 'entitlements',
  putEntitlement: 'entitlements',
  deleteEntitlement: 'entitlements',
  restoreEntitlement: 'entitlements',
  createAwsProduct: 'awsProducts',
  putAwsProduct: 'awsProducts',
  deleteAwsProduct: 'awsProducts',
  restoreAwsProduct: 'awsProducts',
  publishContent: 'contents',
  deleteContent: 'contents',
  restoreContent: 'contents',
  putBranding: 'branding',
  uploadBrandPicture: 'branding',
  putOrgBranding: 'orgBrandings',
  putCorsStack: 'corsOrigins',
  putPermissionSchema: 'permissions',
  createAssertion: 'permissions',
  deleteAssertion: 'permissions',
  putAuditRetention: 'audit',
}

/** Writes of administrators that are not configuration, by the reason. */
const others = {
  'users, their memberships, and what gives them access': [
    /User|Invitation|Member|Login|Connection|OwnersOfGroup|GroupOwners|bulk|Bulk|JoinLink|SetupLink|EnrolmentLink|joinLink/,
  ],
  'secrets, which are never in a file': [/ClientSecret|ScimToken/],
  'drafts of texts, which nobody reads yet': [/^(?:putContent|revertContent)$/],
  'proofs, which hold in one installation only': [
    /^(?:verifyOrgDomain|createConsentLink|startEntraTest|enableEntra|disableEntra|testClientSignIn)$/,
  ],
  'purchases and grants, which are a ledger': [/Grant$|^(?:create|put|assign|refresh)AwsSubscription$|AwsEvent|Usage$/],
  'relationships, the data of applications': [/Relationships$|^importPermissions$/],
  'operations without a setting': [
    /^(?:preview|diff|expand|check|find|lookUp|list|name|run|simulate|validate|play)[A-Z]/,
    /^(?:resendMails|sendTestMail)$/,
  ],
}

test('every write of administrators is described by the file, or is not configuration for a reason', () => {
  const isWrite = ([, { method, access, feature }]: [string, { method: string; access: string; feature: string }]) =>
    method !== 'GET' && (access === 'admin' || feature === 'groups')
  const writes = [...endpoints].filter(isWrite).map(([name]) => name)
  const patterns = Object.values(others).flat()
  const isOther = (name: string) => patterns.some((pattern) => pattern.test(name))
  expect(writes.filter((name) => kinds[name] === undefined && !isOther(name))).toEqual([])
  expect(Object.keys(kinds).filter((name) => !writes.includes(name))).toEqual([])
  expect(patterns.filter((pattern) => !writes.some((name) => pattern.test(name)))).toEqual([])
  const described = new Set(Object.values(kinds))
  const members = Object.keys(every).filter((name) => name !== 'version')
  // The built-in API is one of the APIs.
  expect(members.filter((name) => !described.has(name as keyof DirectoryConfig))).toEqual(['builtInApi'])
})
