import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Email } from '@passport/contract/email'
import { clientScopes } from '@passport/contract/endpoint'
import ipaddr from 'ipaddr.js'
import * as z from 'zod/mini'

/** A setting that stops the start; each line of `faults` names one. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

const port = z.coerce.number<string>().check(z.int(), z.minimum(0), z.maximum(65535))
const origin = z.string().check(
  z.refine((text) => isOrigin(text), {
    error: 'Invalid origin: expected a scheme and a host such as https://id.example',
  }),
)
const network = z
  .string()
  .check(
    z.refine((text) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text), { error: 'Invalid address or CIDR range' }),
  )
const nameServer = z.string().check(
  z.refine((text) => isNameServer(text), {
    error: 'Invalid name server: expected an address such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53',
  }),
)
const listOf = <T extends z.core.$ZodType<unknown, string>>(item: T) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) =>
        text
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean),
      ),
    ),
    z.array(item),
  )

const smtpUrl = z.string().check(
  z.refine((text) => /^smtps?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.hostname !== '', {
    error: 'Invalid address of a mail server: expected one such as smtp://mail.example:587',
  }),
)
const mailbox = z.string().check(
  z.refine((text) => parseMailbox(text) !== undefined, {
    error: 'Invalid mailbox: expected an address, or a name with one as in Passport <id@stage.example>',
  }),
)

const spiceDbEndpoint = z.string().check(
  z.regex(/^(?:https?:\/\/)?[^\s/:]+:\d{1,5}$/, {
    error: 'Invalid address of a SpiceDB: expected one such as spicedb.example:50051',
  }),
)

/**
 * Every environment variable that Passport reads: what it means, and what is right. All may be left out. What is wrong
 * with a secret is told without its value, because the terminal and the log of a start are read by others.
 */
export const variables = {
  PORT: { meaning: 'The port to listen on, 0 for a free one', schema: z._default(port, 3000) },
  HOST: { meaning: 'The address to listen on', schema: z._default(z.string(), '127.0.0.1') },
  PUBLIC_URL: { meaning: 'The address that browsers use; also the issuer of tokens', schema: z.optional(origin) },
  AUTHORITY: {
    meaning: 'The issuer of another server, whose tokens open the API; Passport then issues none of its own',
    schema: z.optional(z.url({ protocol: /^https?$/ })),
  },
  DATABASE_URL: {
    meaning: 'A PostgreSQL to use instead of the embedded one',
    isSecret: true,
    schema: z.optional(z.url({ protocol: /^postgres(ql)?$/ })),
  },
  DATA_DIR: {
    meaning: 'Where the embedded database and the generated secret live',
    schema: z._default(z.string(), '.passport'),
  },
  PASSPORT_SECRET: {
    meaning: 'What seals keys and cookies; needed with DATABASE_URL, otherwise generated in DATA_DIR',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(32))),
  },
  PASSPORT_CONFIG: {
    meaning: 'A JSON file with identityProviders, clients and corsOrigins',
    schema: z.optional(z.string()),
  },
  IDENTITY_PROVIDERS: { meaning: 'The identityProviders of the file, as JSON', schema: z.optional(z.string()) },
  CLIENTS: { meaning: 'The clients of the file, as JSON', schema: z.optional(z.string()) },
  CORS_ORIGINS: { meaning: 'The corsOrigins of the file, as JSON', schema: z.optional(z.string()) },
  BRAND_NAME: {
    meaning: 'What the product calls itself',
    schema: z._default(z.string().check(z.minLength(1)), 'Stage Passport'),
  },
  STACK: {
    meaning: 'Which installation this is',
    schema: z._default(z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)), 'dev'),
  },
  SUPPORT_CONTACT: { meaning: 'Whom people ask for help, shown on error pages', schema: z.optional(z.string()) },
  TRUSTED_PROXIES: {
    meaning: 'Whose X-Forwarded-For counts: addresses or CIDR ranges with commas',
    schema: z._default(listOf(network), []),
  },
  DNS_RESOLVER: {
    meaning: 'Whom to ask for the DNS records of domains: addresses such as 192.0.2.1:53, with commas',
    schema: z._default(listOf(nameServer), []),
  },
  METRICS_TOKEN: {
    meaning:
      'A bearer token that opens /metrics; without it they open on a server for this machine alone, and there alone',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(16))),
  },
  SMTP_URL: {
    meaning: 'The mail server: smtp://user:password@host:587, or smtps:// for TLS from the start',
    isSecret: true,
    schema: z.optional(smtpUrl),
  },
  MAIL_FROM: {
    meaning: 'Whom mails are from: an address, or a name with one as in Passport <id@stage.example>',
    schema: z.optional(mailbox),
  },
  SPICEDB_ENDPOINT: {
    meaning:
      'A SpiceDB that answers about permissions instead of Passport itself: host:port, or http://host:port without TLS',
    schema: z.optional(spiceDbEndpoint),
  },
  SPICEDB_TOKEN: {
    meaning: 'The preshared key of the SpiceDB',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(1))),
  },
  PERMISSION_CYCLES: {
    meaning:
      'Groups that contain each other: error refuses what comes to turn on it, as SpiceDB does, and visited counts it as no; unless set, lookups do the latter',
    schema: z.optional(z.enum(['error', 'visited'])),
  },
  LOG_LEVEL: {
    meaning: 'The least severe line to log',
    schema: z._default(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info'),
  },
} as const

const id = z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))
const UpstreamProvider = z.strictObject({
  id,
  name: z.string().check(z.minLength(1)),
  kind: z.literal('oidc'),
  issuer: z.url({ protocol: /^https?$/ }),
  clientId: z.string().check(z.minLength(1)),
  clientSecret: z.string().check(z.minLength(1)),
  /** Whether a person whom Passport does not know yet gets an account by signing in. */
  signUp: z._default(z.enum(['open', 'invited']), 'invited'),
})
export type UpstreamProvider = z.infer<typeof UpstreamProvider>

const LocalProvider = z.strictObject({
  id: z.literal('local'),
  name: z._default(z.string().check(z.minLength(1)), 'Passport'),
  kind: z.literal('local'),
})

/** Where answers go (RFC 6749, section 3.1.2; RFC 8252, section 7.1 for the schemes of apps). */
const redirectUri = z.url().check(
  z.refine((uri) => !uri.includes('#'), { error: 'A redirect URI has no fragment' }),
  z.refine((uri) => /^https?:/.test(uri) || new URL(uri).protocol.includes('.'), {
    error: 'The scheme of an app is a reversed domain name such as com.example.app',
  }),
)

/** An application that signs people in through Passport: an OAuth 2.0 client (RFC 7591 names, in camelCase). */
const Client = z
  .strictObject({
    clientId: z.string().check(z.minLength(1)),
    clientName: z.string().check(z.minLength(1)),
    /** Left out for a public client, which then proves itself by PKCE alone. */
    clientSecret: z.optional(z.string().check(z.minLength(32))),
    redirectUris: z._default(z.array(redirectUri), []),
    postLogoutRedirectUris: z._default(z.array(z.url()), []),
    /** Whether people are asked what it may do: never, as it is the operator's own; once; or each time. */
    consent: z._default(z.enum(['skip', 'once', 'always']), 'skip'),
    /** Told of every session that ends (OpenID Connect Back-Channel Logout 1.0). */
    backchannelLogoutUri: z.optional(z.url({ protocol: /^https?$/ })),
    /** A device without a browser signs people in by a code (RFC 8628); with `pin` it must always be given that of the approval. */
    deviceFlow: z._default(z.union([z.boolean(), z.literal('pin')]), false),
    /** What it may do for itself, with no person (RFC 6749, section 4.4). */
    scopes: z._default(z.array(z.enum(clientScopes)), []),
  })
  .check(
    z.refine(
      ({ redirectUris, deviceFlow, scopes }) => redirectUris.length > 0 || deviceFlow !== false || scopes.length > 0,
      { error: 'A client has redirectUris, deviceFlow or scopes', path: ['redirectUris'] },
    ),
    z.refine(({ clientSecret, scopes }) => clientSecret !== undefined || scopes.length === 0, {
      error: 'A client that has scopes has a clientSecret: nobody else vouches for it',
      path: ['clientSecret'],
    }),
  )
export type Client = z.infer<typeof Client>

const ConfigFile = z.strictObject({
  identityProviders: z._default(
    z.array(z.discriminatedUnion('kind', [UpstreamProvider, LocalProvider])).check(
      z.minLength(1),
      z.refine((all) => new Set(all.map((one) => one.id)).size === all.length, {
        error: 'Two providers have the same id',
      }),
    ),
    [{ id: 'local', name: 'Passport', kind: 'local' as const }],
  ),
  clients: z._default(
    z.array(Client).check(
      z.refine((all) => new Set(all.map((one) => one.clientId)).size === all.length, {
        error: 'Two clients have the same clientId',
      }),
    ),
    [],
  ),
  corsOrigins: z._default(z.record(id, z.array(origin)), {}),
})

type Variables = { [Name in keyof typeof variables]: z.infer<(typeof variables)[Name]['schema']> }

export interface Config extends z.infer<typeof ConfigFile> {
  port: number
  host: string
  /** Without a slash at the end. */
  publicUrl: string
  /** Both the public and the listening address are of this machine: demonstration people may live here. */
  isLoopback: boolean
  /** Another issuer, exactly as it names itself. */
  authority: string | undefined
  databaseUrl: string | undefined
  dataDir: string
  secret: string | undefined
  brandName: string
  stack: string
  supportContact: string
  trustedProxies: string[]
  /** Name servers, each `address:port`; empty for those of this machine. */
  dnsResolver: string[]
  metricsToken: string | undefined
  /** Where mails are handed over, and whom they are from; without it none are sent. */
  mail: { smtpUrl: string; from: Mailbox } | undefined
  /** What a question that comes up on the way to itself is to the engine of this process; see `Cycles`. */
  permissionCycles: Variables['PERMISSION_CYCLES']
  /** Another engine for permissions than the one in this process. */
  spiceDb: { endpoint: string; token: string; insecure: boolean } | undefined
  logLevel: Variables['LOG_LEVEL']
}

/** Reads and checks all settings; throws one `ConfigError` that names everything that is wrong. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  z.config(z.locales.en())
  const faults: string[] = []
  const read = readVariables(env, faults)
  const file = readConfigFile(read, faults)
  if (faults.length > 0 || !file) throw new ConfigError(faults)

  const publicUrl = read.PUBLIC_URL?.replace(/\/$/, '') ?? `http://localhost:${read.PORT}`
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = isLoopbackHost(hostname)
  if (protocol === 'http:' && !isLocal) {
    faults.push(
      `PUBLIC_URL: ${publicUrl} is plain http, and browsers keep the session cookie only on https or on localhost`,
    )
  }
  if (read.AUTHORITY?.startsWith('http:') && !isLoopbackHost(new URL(read.AUTHORITY).hostname))
    faults.push(`AUTHORITY: ${read.AUTHORITY} is plain http, and its keys could be anybody’s`)
  const from = read.MAIL_FROM === undefined ? undefined : parseMailbox(read.MAIL_FROM)
  if (read.SMTP_URL && !from) faults.push('MAIL_FROM: needed with SMTP_URL, or nobody knows whom a mail is from')
  if (read.SPICEDB_ENDPOINT && !read.SPICEDB_TOKEN) faults.push('SPICEDB_TOKEN: needed with SPICEDB_ENDPOINT')
  if (read.DATABASE_URL && !read.PASSPORT_SECRET) {
    faults.push(
      'PASSPORT_SECRET: needed with DATABASE_URL, or a second machine could not open the keys; try `openssl rand -base64 48`',
    )
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    ...file,
    port: read.PORT,
    host: read.HOST,
    publicUrl,
    isLoopback: isLocal && isLoopbackHost(read.HOST),
    authority: read.AUTHORITY,
    databaseUrl: read.DATABASE_URL,
    dataDir: read.DATA_DIR,
    secret: read.PASSPORT_SECRET,
    brandName: read.BRAND_NAME,
    stack: read.STACK,
    supportContact: read.SUPPORT_CONTACT ?? `an administrator of ${read.BRAND_NAME}`,
    trustedProxies: read.TRUSTED_PROXIES,
    dnsResolver: read.DNS_RESOLVER,
    metricsToken: read.METRICS_TOKEN,
    mail: read.SMTP_URL && from ? { smtpUrl: read.SMTP_URL, from } : undefined,
    permissionCycles: read.PERMISSION_CYCLES,
    spiceDb: spiceDbOf(read),
    logLevel: read.LOG_LEVEL,
  }
}

function spiceDbOf({ SPICEDB_ENDPOINT: endpoint, SPICEDB_TOKEN: token }: Variables): Config['spiceDb'] {
  if (!endpoint || !token) return undefined
  return { endpoint: endpoint.replace(/^https?:\/\//, ''), token, insecure: endpoint.startsWith('http:') }
}

/** An empty variable counts as one that is not set: that is how shells and compose files leave one out. */
function readVariables(env: Record<string, string | undefined>, faults: string[]): Variables {
  const read: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const result = z.safeParse<z.core.$ZodType>(variable.schema, env[name] || undefined)
    const got = 'isSecret' in variable ? '' : `, got “${env[name]}”`
    if (result.success) read[name] = result.data
    else faults.push(...result.error.issues.map(({ message }) => `${name}: ${message}${got}`))
  }
  return read as Variables
}

const inEnvironment = {
  identityProviders: 'IDENTITY_PROVIDERS',
  clients: 'CLIENTS',
  corsOrigins: 'CORS_ORIGINS',
} as const

function readConfigFile(read: Variables, faults: string[]) {
  const before = faults.length
  const source = read.PASSPORT_CONFIG
  const content: Record<string, unknown> = source
    ? parseJson('PASSPORT_CONFIG', () => readFileSync(source, 'utf8'), faults)
    : {}
  for (const [key, name] of Object.entries(inEnvironment)) {
    const text = read[name]
    if (text) content[key] = parseJson(name, () => text, faults)
  }
  if (faults.length > before) return undefined
  const result = z.safeParse(ConfigFile, content)
  if (result.success) return result.data
  for (const { path, message } of result.error.issues) {
    const variable = inEnvironment[path[0] as keyof typeof inEnvironment]
    const from = variable && read[variable] ? variable : `PASSPORT_CONFIG (${source})`
    faults.push(`${from}: ${path.join('.') || 'the file'}: ${message}`)
  }
  return undefined
}

function parseJson(name: string, read: () => string, faults: string[]) {
  try {
    return JSON.parse(read())
  } catch (error) {
    faults.push(`${name}: ${error instanceof SyntaxError ? jsonFault(error) : (error as Error).message}`)
    return {}
  }
}

/** Where it goes wrong, without the text around it that V8 tells: secrets of clients and providers are in there. */
const jsonFault = ({ message }: SyntaxError) => `Invalid JSON${/ at position \d+.*$/s.exec(message)?.[0] ?? ''}`

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
}

export interface Mailbox {
  name: string
  address: string
}

/** `Passport <id@stage.example>`, or an address alone. */
function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim()) ?? []
  const result = z.safeParse(Email, bracketed ?? text)
  return result.success ? { name: name.trim(), address: result.data } : undefined
}

/** Whether the resolver of Node takes it. */
function isNameServer(text: string): boolean {
  const [, address, port] = /^\[(.*)\](?::(\d+))?$/.exec(text) ?? /^([\d.]+)(?::(\d+))?$/.exec(text) ?? ['', text]
  return isIP(address ?? '') > 0 && Number(port ?? 53) > 0 && Number(port ?? 53) < 65536
}

/** Whether a host name or address can only be this machine. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) ? ipaddr.process(bare).range() === 'loopback' : bare === 'localhost' || bare.endsWith('.localhost')
}
