import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { RedirectUri, ReturnUri, WebUrl } from '@passport/contract/client-uris'
import { adminScopesOfService, newClientFields } from '@passport/contract/clients'
import { ConnectorId, metaHorizon } from '@passport/contract/connections'
import { Email } from '@passport/contract/email'
import { clientScopes } from '@passport/contract/endpoint'
import { Guid } from '@passport/contract/org-entra'
import { decodeTextFile } from '@passport/contract/text-file'
import ipaddr from 'ipaddr.js'
import * as z from 'zod/mini'
import { fileLimits, parseForeignJson } from './http/foreign-json.ts'
import { authMethods } from './identity-providers/provider-choices.ts'
import { defaultCost, isStrong, type PasswordCost, parsePasswordCost } from './local-directory/password-cost.ts'

/** Invalid settings, which abort the start; each of `errors` names one setting. */
export class ConfigError extends Error {
  readonly errors: string[]
  constructor(errors: string[], options?: ErrorOptions) {
    super(errors.join('\n'), options)
    this.name = 'ConfigError'
    this.errors = errors
  }
}

const port = z.coerce.number<string>().check(z.int(), z.minimum(0), z.maximum(65535))
const drainSeconds = z.coerce.number<string>().check(z.int(), z.minimum(0), z.maximum(3600))
const processCount = z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(64))
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
const privateHost = z.string().check(
  z.refine((text) => URL.parse(`https://${text}`)?.host === text, {
    error: 'Invalid host: expected a name in lower case or an address, with a port if it is not 443',
  }),
)
const hostName = z.string().check(
  z.refine((text) => URL.parse(`http://${text}`)?.host === text, {
    error: 'Invalid host: expected a name in lower case or an address, with a port if it is not 80',
  }),
)
const commaSeparated = <T extends z.core.$ZodType<unknown, string>>(item: T) =>
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

const oldSecrets = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.split(/\s+/).filter(Boolean)),
  ),
  z.array(z.string().check(z.minLength(32))),
)

/** The name of the product until one is chosen. */
export const defaultBrandName = 'Stage Passport'

const smtpUrl = z.string().check(
  z.refine((text) => /^smtps?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.hostname !== '', {
    error: 'Invalid mail server: expected a URL such as smtp://mail.example:587',
  }),
)
const mailbox = z.string().check(
  z.refine((text) => parseMailbox(text) !== undefined, {
    error: 'Invalid mailbox: expected an address, or a name and address such as Passport <id@stage.example>',
  }),
)

const passwordCost = z.pipe(
  z.string().check(
    z.refine((text) => parsePasswordCost(text) !== undefined, {
      error: 'Invalid cost: expected the parameters of argon2id, such as m=19456,t=2,p=1',
    }),
  ),
  z.transform((text) => parsePasswordCost(text) ?? defaultCost),
)

const awsRegion = z
  .string()
  .check(
    z.regex(/^[a-z]{2}(?:-[a-z]{2,12}){1,2}-\d{1,2}$/, { error: 'Invalid AWS region: expected one such as us-east-1' }),
  )
const eventKeys = commaSeparated(
  z.string().check(
    z.regex(/^[\x21-\x7e]{32,200}$/, {
      error: 'Invalid key: expected 32 to 200 printable ASCII characters without spaces',
    }),
  ),
).check(z.maxLength(2, { error: 'Too many keys: expected one, or two while they are rotated' }))

const queueUrls = commaSeparated(
  z.string().check(
    z.refine((text) => /^https?:\/\/[^/]+\/\d{12}\/[A-Za-z0-9_-]{1,80}(?:\.fifo)?$/.test(text), {
      error: 'Invalid queue: expected a URL such as https://sqs.us-east-1.amazonaws.com/123456789012/events',
    }),
  ),
).check(z.maxLength(5, { error: 'Too many queues: expected at most 5' }))

const spiceDbEndpoint = z.string().check(
  z.regex(/^(?:https?:\/\/)?[^\s/:]+:\d{1,5}$/, {
    error: 'Invalid SpiceDB address: expected one such as spicedb.example:50051',
  }),
)

/**
 * The environment variables of Passport, with their meaning and schema. All are optional. Errors of secrets are
 * reported without the value, because others read the terminal and the log of a start.
 */
export const variables = {
  PORT: { meaning: 'The port to listen on; 0 chooses a free one', schema: z._default(port, 3000) },
  HOST: { meaning: 'The address to listen on', schema: z._default(z.string(), '127.0.0.1') },
  PUBLIC_URL: { meaning: 'The URL that browsers use, and the issuer of tokens', schema: z.optional(origin) },
  WEB_CONCURRENCY: {
    meaning: 'The number of server processes on this machine, which share the port',
    schema: z._default(processCount, 1),
  },
  DRAIN_SECONDS: {
    meaning: 'The seconds for which requests are served after SIGTERM, so that a load balancer finds another server',
    schema: z._default(drainSeconds, 10),
  },
  AUTHORITY: {
    meaning: 'The issuer of another server whose tokens the API accepts; Passport then issues no tokens',
    schema: z.optional(z.url({ protocol: /^https?$/ })),
  },
  DATABASE_URL: {
    meaning: 'A PostgreSQL database to use instead of the embedded one',
    isSecret: true,
    schema: z.optional(z.url({ protocol: /^postgres(ql)?$/ })),
  },
  DATA_DIR: {
    meaning: 'The directory of the embedded database and the generated secret',
    schema: z._default(z.string(), '.passport'),
  },
  PASSPORT_SECRET: {
    meaning: 'The secret that encrypts keys and cookies; required with DATABASE_URL, otherwise generated in DATA_DIR',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(32))),
  },
  PASSPORT_OLD_SECRETS: {
    meaning: 'Former values of PASSPORT_SECRET, separated by spaces; data encrypted with them stays readable',
    isSecret: true,
    schema: z._default(oldSecrets, []),
  },
  PASSPORT_CONFIG: {
    meaning: 'A JSON file with identityProviders, entraClouds, connectors, clients and corsOrigins',
    schema: z.optional(z.string()),
  },
  IDENTITY_PROVIDERS: { meaning: 'The identityProviders of the file, as JSON', schema: z.optional(z.string()) },
  ENTRA_CLOUDS: { meaning: 'The entraClouds of the file, as JSON', schema: z.optional(z.string()) },
  CONNECTORS: { meaning: 'The connectors of the file, as JSON', schema: z.optional(z.string()) },
  CLIENTS: { meaning: 'The clients of the file, as JSON', schema: z.optional(z.string()) },
  CORS_ORIGINS: { meaning: 'The corsOrigins of the file, as JSON', schema: z.optional(z.string()) },
  BRAND_NAME: {
    meaning: 'The product name that users see',
    schema: z._default(z.string().check(z.minLength(1)), defaultBrandName),
  },
  STACK: {
    meaning: 'The name of this installation',
    schema: z._default(z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)), 'dev'),
  },
  SUPPORT_CONTACT: { meaning: 'The support contact shown on error pages', schema: z.optional(z.string()) },
  ALLOWED_HOSTS: {
    meaning:
      'Further names by which applications in your network may call this server with a token: comma-separated, such as passport:3000 or 10.0.0.7:3000',
    schema: z._default(commaSeparated(hostName), []),
  },
  TRUSTED_PROXIES: {
    meaning:
      'The proxies whose TRUSTED_PROXY_HEADER and X-Forwarded-Host are trusted: comma-separated addresses or CIDR ranges',
    schema: z._default(commaSeparated(network), []),
  },
  TRUSTED_PROXY_HEADER: {
    meaning: 'The header in which these proxies send the client address; the other one is ignored',
    schema: z._default(z.enum(['x-forwarded-for', 'forwarded']), 'x-forwarded-for'),
  },
  ALLOWED_PRIVATE_HOSTS: {
    meaning:
      'Private hosts that the metadata of identity providers may name: comma-separated, such as tokens.corp.example or 10.0.0.7:8443',
    schema: z._default(commaSeparated(privateHost), []),
  },
  DNS_RESOLVER: {
    meaning: 'The name servers for verifying domains: comma-separated addresses such as 192.0.2.1:53',
    schema: z._default(commaSeparated(nameServer), []),
  },
  METRICS_TOKEN: {
    meaning:
      'The bearer token for /metrics; without it, /metrics is available only on a server that listens on localhost',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(16))),
  },
  SMTP_URL: {
    meaning: 'The mail server: smtp://user:password@host:587, or smtps:// for implicit TLS',
    isSecret: true,
    schema: z.optional(smtpUrl),
  },
  MAIL_FROM: {
    meaning: 'The sender of emails: an address, or a name and address such as Passport <id@stage.example>',
    schema: z.optional(mailbox),
  },
  META_APP_ID: {
    meaning: 'The app at Meta that connects Meta Horizon accounts',
    schema: z.optional(z.string().check(z.regex(/^\d+$/))),
  },
  META_APP_SECRET: {
    meaning: 'The secret of that app; required with META_APP_ID',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(1))),
  },
  META_ORGANIZATION_ID: {
    meaning: 'The organisation of that app; required with META_APP_ID',
    schema: z.optional(z.string().check(z.regex(/^\d+$/))),
  },
  META_SSO_URL: {
    meaning: "The URL of Meta's account linking",
    schema: z._default(WebUrl, 'https://auth.oculus.com/sso/'),
  },
  META_GRAPH_URL: {
    meaning: "The URL of Meta's Graph API",
    schema: z._default(WebUrl, 'https://graph.oculus.com'),
  },
  AWS_MARKETPLACE_REGION: {
    meaning: 'The AWS region of the calls to AWS Marketplace, such as us-east-1; enables AWS Marketplace',
    schema: z.optional(awsRegion),
  },
  AWS_MARKETPLACE_EVENT_KEYS: {
    meaning:
      'The keys with which EventBridge may deliver events: one, or two separated by a comma while they are rotated',
    isSecret: true,
    schema: z._default(eventKeys, []),
  },
  AWS_MARKETPLACE_QUEUES: {
    meaning: 'The URLs of SQS queues with events of AWS Marketplace, separated by commas',
    schema: z._default(queueUrls, []),
  },
  AWS_ENDPOINT_URL_SNS: {
    meaning: 'Replaces Amazon SNS, whose certificates and confirmations are read, by a simulation',
    schema: z.optional(WebUrl),
  },
  AWS_ENDPOINT_URL_MARKETPLACE_METERING: {
    meaning:
      'Replaces the metering endpoint of AWS, which the AWS SDK reads too; that of a simulation has a simulator page',
    schema: z.optional(WebUrl),
  },
  SPICEDB_ENDPOINT: {
    meaning:
      'A SpiceDB server to use instead of the built-in permission engine: host:port, or http://host:port without TLS',
    schema: z.optional(spiceDbEndpoint),
  },
  SPICEDB_TOKEN: {
    meaning: 'The preshared key of the SpiceDB server',
    isSecret: true,
    schema: z.optional(z.string().check(z.minLength(1))),
  },
  PERMISSION_CYCLES: {
    meaning:
      'How recursive permissions (cycles) are resolved: error rejects them as SpiceDB does, visited treats them as denied; if unset, only lookups treat them as denied',
    schema: z.optional(z.enum(['error', 'visited'])),
  },
  LOCAL_DIRECTORY_ISSUER: {
    meaning: 'on makes the built-in directory an issuer of its own at /idp, for other installations',
    schema: z._default(z.enum(['on', 'off']), 'off'),
  },
  PASSWORD_COST: {
    meaning:
      'The cost of password hashes of the built-in directory, as parameters of argon2id: memory in KiB, passes and lanes',
    schema: z._default(passwordCost, defaultCost),
  },
  LOG_LEVEL: {
    meaning: 'The lowest log level to write',
    schema: z._default(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info'),
  },
} as const

const id = z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))
/** How Passport authenticates as a client of a provider; chosen by the metadata of the provider unless set. */
const tokenEndpointAuthMethod = z.optional(z.enum(authMethods))
/** Sends the address to return to after signing out, which must be registered at the provider. */
const postLogoutRedirect = z._default(z.boolean(), true)

const UpstreamProvider = z.strictObject({
  id,
  name: z.string().check(z.minLength(1)),
  kind: z.literal('oidc'),
  issuer: WebUrl,
  clientId: z.string().check(z.minLength(1)),
  clientSecret: z.string().check(z.minLength(1)),
  /** `open` creates an account at the first sign-in of an unknown user; `invited` requires an invitation. */
  signUp: z._default(z.enum(['open', 'invited']), 'invited'),
  /**
   * Trusts the provider's `email_verified`. Defaults to false with open sign-up, where users choose their own email
   * address.
   */
  trustEmail: z.optional(z.boolean()),
  /**
   * The proof of a recent authentication: the claim `auth_time`; `prompt` accepts a forced sign-in without that claim.
   */
  freshness: z._default(z.enum(['auth_time', 'prompt']), 'auth_time'),
  tokenEndpointAuthMethod,
  postLogoutRedirect,
})
export type UpstreamProvider = z.infer<typeof UpstreamProvider>

const LocalProvider = z.strictObject({
  id: z.literal('local'),
  name: z._default(z.string().check(z.minLength(1)), 'Passport'),
  kind: z.literal('local'),
})

/** A cloud of Microsoft Entra, with the registration of Passport there: each cloud needs its own. */
const EntraCloud = z.strictObject({
  /** `AzurePublic`, `AzureUSGovernment`, `AzureChina`, or a name for another cloud. */
  id: z.string().check(z.regex(/^(?:AzurePublic|AzureUSGovernment|AzureChina|[a-z][a-z0-9-]{0,31})$/)),
  /** The origin of its authorities, such as https://login.microsoftonline.com. */
  authority: z.pipe(
    WebUrl,
    z.transform((url) => url.replace(/\/$/, '')),
  ),
  /** The base URL of Microsoft Graph, such as https://graph.microsoft.com. */
  graph: z.pipe(
    WebUrl,
    z.transform((url) => url.replace(/\/$/, '')),
  ),
  clientId: z.string().check(z.minLength(1)),
  clientSecret: z.string().check(z.minLength(1)),
  /**
   * The operator's own tenant, which lets Passport read the names of others
   * (`CrossTenantInformation.ReadBasic.All`).
   */
  tenantId: z.optional(Guid),
  /** Reads whether a domain is managed or federated, from an endpoint that Microsoft does not document. */
  userRealm: z._default(z.boolean(), false),
  postLogoutRedirect,
})
export type EntraCloud = z.infer<typeof EntraCloud>

/** A service at which users have accounts to connect; Meta Horizon has variables of its own. */
const Connector = z.strictObject({
  id: ConnectorId.check(
    z.refine((text) => text !== metaHorizon && text !== 'entra', { error: 'Reserved: choose another id' }),
  ),
  name: z.string().check(z.minLength(1)),
  kind: z.literal('oidc'),
  issuer: WebUrl,
  clientId: z.string().check(z.minLength(1)),
  clientSecret: z.string().check(z.minLength(1)),
  tokenEndpointAuthMethod,
})

/** An application that signs users in through Passport: an OAuth 2.0 client (RFC 7591 names, in camelCase). */
const Client = z
  .strictObject({
    clientId: z.string().check(z.minLength(1)),
    clientName: z.string().check(z.minLength(1)),
    /** Omitted for a public client, which relies on PKCE alone. */
    clientSecret: z.optional(z.string().check(z.minLength(32))),
    redirectUris: z._default(z.array(RedirectUri), []),
    postLogoutRedirectUris: z._default(z.array(ReturnUri), []),
    /** When users are asked for consent: never (the operator's own client), once, or each time. */
    consent: z._default(z.enum(['skip', 'once', 'always']), 'skip'),
    /** Notified when a session ends (OpenID Connect Back-Channel Logout 1.0). */
    backchannelLogoutUri: z.optional(WebUrl),
    /** Enables the device flow (RFC 8628); `pin` requires the PIN of the approval. */
    deviceFlow: z._default(z.union([z.boolean(), z.literal('pin')]), false),
    /** Scopes of the client credentials grant (RFC 6749, section 4.4). */
    scopes: z._default(z.array(z.enum(clientScopes)), []),
    idTokenSigningAlg: newClientFields.idTokenSigningAlg,
    pkce: newClientFields.pkce,
  })
  .check(
    adminScopesOfService,
    z.refine(
      ({ redirectUris, deviceFlow, scopes }) => redirectUris.length > 0 || deviceFlow !== false || scopes.length > 0,
      { error: 'A client must have redirectUris, deviceFlow or scopes', path: ['redirectUris'] },
    ),
    z.refine(({ clientSecret, scopes }) => clientSecret !== undefined || scopes.length === 0, {
      error: 'A client with scopes must have a clientSecret',
      path: ['clientSecret'],
    }),
    // Without a secret, PKCE alone protects the authorization code (RFC 9700, section 2.1.1).
    z.refine(({ clientSecret, pkce }) => clientSecret !== undefined || pkce === 'required', {
      error: 'A client without a clientSecret must use PKCE',
      path: ['pkce'],
    }),
  )
export type Client = z.infer<typeof Client>

const ConfigFile = z.strictObject({
  identityProviders: z._default(
    z.array(z.discriminatedUnion('kind', [UpstreamProvider, LocalProvider])).check(
      z.minLength(1),
      z.refine((all) => new Set(all.map((provider) => provider.id)).size === all.length, {
        error: 'Two providers have the same id',
      }),
    ),
    [{ id: 'local', name: 'Passport', kind: 'local' as const }],
  ),
  entraClouds: z._default(
    z.array(EntraCloud).check(
      z.refine((all) => new Set(all.map((cloud) => cloud.id)).size === all.length, {
        error: 'Two clouds have the same id',
      }),
    ),
    [],
  ),
  connectors: z._default(
    z.array(Connector).check(
      z.refine((all) => new Set(all.map((connector) => connector.id)).size === all.length, {
        error: 'Two connectors have the same id',
      }),
    ),
    [],
  ),
  clients: z._default(
    z.array(Client).check(
      z.refine((all) => new Set(all.map((client) => client.clientId)).size === all.length, {
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
  /** The number of server processes on this machine. */
  webConcurrency: number
  /** The time for which requests are served after SIGTERM. */
  drainSeconds: number
  /** Without a trailing slash. */
  publicUrl: string
  /** Both the public and the listening address are loopback addresses; allows demo users. */
  isLoopback: boolean
  /** The external issuer, exactly as it names itself. */
  authority: string | undefined
  databaseUrl: string | undefined
  dataDir: string
  secret: string | undefined
  /** Former secrets of the installation. */
  oldSecrets: string[]
  /** The name without one saved in the console: see `branding/`. */
  brandName: string
  stack: string
  /** Undefined without a configured one. */
  supportContact: string | undefined
  /** Further values of the `Host` header for programs. */
  allowedHosts: string[]
  trustedProxies: string[]
  /** Hosts that may have private addresses although no configured URL names them; with the port unless it is 443. */
  allowedPrivateHosts: string[]
  trustedProxyHeader: Variables['TRUSTED_PROXY_HEADER']
  /** Name servers as `address:port`; empty for the system resolver. */
  dnsResolver: string[]
  metricsToken: string | undefined
  /** The mail server and the sender; undefined disables mail. */
  mail: { smtpUrl: string; from: Mailbox } | undefined
  /** The app that connects Meta Horizon accounts; undefined disables that. */
  meta: { appId: string; appSecret: string; organizationId: string; ssoUrl: string; graphUrl: string } | undefined
  /** The seller's AWS Marketplace; undefined disables it. Without `eventKeys` it accepts no events. */
  awsMarketplace:
    | {
        region: string
        eventKeys: string[]
        queueUrls: string[]
        endpointUrl?: string | undefined
        snsEndpointUrl?: string | undefined
      }
    | undefined
  /** The result of a cycle in the built-in engine; see `Cycles`. */
  permissionCycles: Variables['PERMISSION_CYCLES']
  /** An external permission engine, instead of the built-in one. */
  spiceDb: { endpoint: string; token: string; insecure: boolean } | undefined
  /** Serves the built-in directory as an issuer at /idp. */
  isDirectoryIssuer: boolean
  /** The cost of new password hashes of the built-in directory. */
  passwordCost: PasswordCost
  logLevel: Variables['LOG_LEVEL']
}

/** Reads and validates all settings; throws one `ConfigError` that lists every error. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  z.config(z.locales.en())
  const errors: string[] = []
  const settings = readVariables(env, errors)
  const file = readConfigFile(settings, errors)
  if (errors.length > 0 || !file) throw new ConfigError(errors)

  const publicUrl = settings.PUBLIC_URL?.replace(/\/$/, '') ?? `http://localhost:${settings.PORT}`
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = isLoopbackHost(hostname)
  if (protocol === 'http:' && !isLocal) {
    errors.push(
      `PUBLIC_URL: ${publicUrl} is plain http, but browsers keep the session cookie only on https or localhost`,
    )
  }
  if (settings.AUTHORITY?.startsWith('http:') && !isLoopbackHost(new URL(settings.AUTHORITY).hostname))
    errors.push(`AUTHORITY: ${settings.AUTHORITY} is plain http, so its keys cannot be trusted`)
  const from = settings.MAIL_FROM === undefined ? undefined : parseMailbox(settings.MAIL_FROM)
  if (settings.SMTP_URL && !from) errors.push('MAIL_FROM: required with SMTP_URL')
  if (settings.SPICEDB_ENDPOINT && !settings.SPICEDB_TOKEN) errors.push('SPICEDB_TOKEN: required with SPICEDB_ENDPOINT')
  if (metaVariables.some((name) => settings[name]))
    for (const name of metaVariables)
      if (!settings[name]) errors.push(`${name}: required with the other settings of the app at Meta`)
  if (settings.AWS_MARKETPLACE_EVENT_KEYS.length > 0 && !settings.AWS_MARKETPLACE_REGION)
    errors.push('AWS_MARKETPLACE_REGION: required with AWS_MARKETPLACE_EVENT_KEYS')
  if (settings.AWS_MARKETPLACE_QUEUES.length > 0 && !settings.AWS_MARKETPLACE_REGION)
    errors.push('AWS_MARKETPLACE_REGION: required with AWS_MARKETPLACE_QUEUES')
  if (!isLocal && !isStrong(settings.PASSWORD_COST))
    errors.push(
      'PASSWORD_COST: too weak for a server that others reach; use at least m=7168,t=5,p=1, or more memory and fewer passes',
    )
  if (settings.DATABASE_URL && !settings.PASSPORT_SECRET) {
    errors.push('PASSPORT_SECRET: required with DATABASE_URL; generate one with `openssl rand -base64 48`')
  }
  if (errors.length > 0) throw new ConfigError(errors)
  return {
    ...file,
    port: settings.PORT,
    host: settings.HOST,
    webConcurrency: settings.WEB_CONCURRENCY,
    drainSeconds: settings.DRAIN_SECONDS,
    publicUrl,
    isLoopback: isLocal && isLoopbackHost(settings.HOST),
    authority: settings.AUTHORITY,
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
    secret: settings.PASSPORT_SECRET,
    oldSecrets: settings.PASSPORT_OLD_SECRETS,
    brandName: settings.BRAND_NAME,
    stack: settings.STACK,
    supportContact: settings.SUPPORT_CONTACT,
    allowedHosts: settings.ALLOWED_HOSTS,
    trustedProxies: settings.TRUSTED_PROXIES,
    allowedPrivateHosts: settings.ALLOWED_PRIVATE_HOSTS,
    trustedProxyHeader: settings.TRUSTED_PROXY_HEADER,
    dnsResolver: settings.DNS_RESOLVER,
    metricsToken: settings.METRICS_TOKEN,
    mail: settings.SMTP_URL && from ? { smtpUrl: settings.SMTP_URL, from } : undefined,
    meta: toMetaConfig(settings),
    awsMarketplace: settings.AWS_MARKETPLACE_REGION
      ? {
          region: settings.AWS_MARKETPLACE_REGION,
          eventKeys: settings.AWS_MARKETPLACE_EVENT_KEYS,
          queueUrls: settings.AWS_MARKETPLACE_QUEUES,
          endpointUrl: settings.AWS_ENDPOINT_URL_MARKETPLACE_METERING,
          snsEndpointUrl: settings.AWS_ENDPOINT_URL_SNS,
        }
      : undefined,
    permissionCycles: settings.PERMISSION_CYCLES,
    spiceDb: toSpiceDbConfig(settings),
    isDirectoryIssuer: settings.LOCAL_DIRECTORY_ISSUER === 'on',
    passwordCost: settings.PASSWORD_COST,
    logLevel: settings.LOG_LEVEL,
  }
}

const metaVariables = ['META_APP_ID', 'META_APP_SECRET', 'META_ORGANIZATION_ID'] as const

function toMetaConfig(settings: Variables): Config['meta'] {
  const { META_APP_ID: appId, META_APP_SECRET: appSecret, META_ORGANIZATION_ID: organizationId } = settings
  if (!appId || !appSecret || !organizationId) return undefined
  return { appId, appSecret, organizationId, ssoUrl: settings.META_SSO_URL, graphUrl: settings.META_GRAPH_URL }
}

function toSpiceDbConfig({ SPICEDB_ENDPOINT: endpoint, SPICEDB_TOKEN: token }: Variables): Config['spiceDb'] {
  if (!endpoint || !token) return undefined
  return { endpoint: endpoint.replace(/^https?:\/\//, ''), token, insecure: endpoint.startsWith('http:') }
}

/** Parses the variables. An empty one counts as unset, because shells and compose files omit a variable that way. */
function readVariables(env: Record<string, string | undefined>, errors: string[]): Variables {
  const settings: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(variables)) {
    const result = z.safeParse<z.core.$ZodType>(variable.schema, env[name] || undefined)
    const receivedText = 'isSecret' in variable ? '' : `, got “${env[name]}”`
    if (result.success) settings[name] = result.data
    else errors.push(...result.error.issues.map(({ message }) => `${name}: ${message}${receivedText}`))
  }
  return settings as Variables
}

const environmentVariableOf = {
  identityProviders: 'IDENTITY_PROVIDERS',
  entraClouds: 'ENTRA_CLOUDS',
  connectors: 'CONNECTORS',
  clients: 'CLIENTS',
  corsOrigins: 'CORS_ORIGINS',
} as const

function readConfigFile(settings: Variables, errors: string[]) {
  const before = errors.length
  const source = settings.PASSPORT_CONFIG
  const file = source ? parseJson('PASSPORT_CONFIG', () => decodeTextFile(readFileSync(source)), errors) : {}
  const content = file as Record<string, unknown>
  for (const [key, name] of Object.entries(environmentVariableOf)) {
    const text = settings[name]
    if (text) content[key] = parseJson(name, () => text, errors)
  }
  if (errors.length > before) return undefined
  const result = z.safeParse(ConfigFile, content)
  if (result.success) return result.data
  for (const { path, message } of result.error.issues) {
    const variable = environmentVariableOf[path[0] as keyof typeof environmentVariableOf]
    const sourceName = variable && settings[variable] ? variable : `PASSPORT_CONFIG (${source})`
    errors.push(`${sourceName}: ${path.join('.') || 'the file'}: ${message}`)
  }
  return undefined
}

function parseJson(name: string, readText: () => string, errors: string[]): unknown {
  try {
    return parseForeignJson(readText(), fileLimits)
  } catch (error) {
    const { cause, message } = error as Error
    errors.push(`${name}: ${cause instanceof SyntaxError ? formatJsonError(cause) : message}`)
    return {}
  }
}

/** Formats the position of a syntax error, without the text that V8 quotes: it may contain secrets. */
const formatJsonError = ({ message }: SyntaxError) => `Invalid JSON${/ at position \d+.*$/s.exec(message)?.[0] ?? ''}`

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
}

export interface Mailbox {
  name: string
  address: string
}

/** Parses `Passport <id@stage.example>` or a plain address. */
function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text.trim()) ?? []
  const result = z.safeParse(Email, bracketed ?? text)
  return result.success ? { name: name.trim(), address: result.data } : undefined
}

/** Reports whether Node's resolver accepts a text as a name server. */
function isNameServer(text: string): boolean {
  const [, address, port] = /^\[(.*)\](?::(\d+))?$/.exec(text) ?? /^([\d.]+)(?::(\d+))?$/.exec(text) ?? ['', text]
  return isIP(address ?? '') > 0 && Number(port ?? 53) > 0 && Number(port ?? 53) < 65536
}

/** Reports whether a host name or an address is a loopback one. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) ? ipaddr.process(bare).range() === 'loopback' : bare === 'localhost' || bare.endsWith('.localhost')
}
