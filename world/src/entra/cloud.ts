import type { EntraPerson, EntraTenant } from './directory.ts'
import type { EntraFault, FaultOptions } from './faults.ts'
import type { Keys } from './keys.ts'
import type { ProvisioningService } from './provisioning.ts'

export interface EntraOptions {
  port?: number
  /** The id of the cloud: `AzurePublic` by default. */
  id?: string
  /** The registration of the application in this cloud. */
  clientId: string
  clientSecret: string
  redirectUris: string[]
  consentRedirectUri: string
  tenants?: EntraTenant[]
  /** Shows the sign-in page even if `login_hint` names a known person. */
  alwaysAsks?: boolean
  /** Provisions tenants by SCIM every so many seconds; 0, the default, does so on demand only. */
  provisionEverySeconds?: number
  /** A file in which consents outlast a restart. */
  consentFile?: string
}

/** The application permissions of Graph that the registration requests. */
export const graphPermissions = [
  'Organization.Read.All',
  'GroupMember.Read.All',
  'User.ReadBasic.All',
  'CrossTenantInformation.ReadBasic.All',
] as const

export type GraphPermission = (typeof graphPermissions)[number]

/** The permissions that each tenant granted, by tenant id. */
export type Consents = Pick<Map<string, GraphPermission[]>, 'get' | 'set' | 'delete'>

/** A cloud and its state. */
export interface Cloud {
  options: EntraOptions
  hosts: CloudHosts
  authority: string
  graph: string
  tenants: EntraTenant[]
  consents: Consents
  fault: { name: EntraFault; options: FaultOptions }
  provisioning: ProvisioningService
  keys: Keys
}

interface CloudHosts {
  instance: string
  msGraph: string
  cloudGraph: string
  rbacUrl: string
  federation: string
}

const publicHosts: CloudHosts = {
  instance: 'microsoftonline.com',
  msGraph: 'graph.microsoft.com',
  cloudGraph: 'graph.windows.net',
  rbacUrl: 'https://pas.windows.net',
  federation: 'urn:federation:MicrosoftOnline',
}

/** The names that the real cloud has in its metadata. */
export const hostsOf = (cloudId: string): CloudHosts =>
  ({
    AzureUSGovernment: {
      ...publicHosts,
      instance: 'microsoftonline.us',
      msGraph: 'graph.microsoft.us',
      rbacUrl: 'https://pasff.usgovcloudapi.net',
    },
    AzureChina: {
      instance: 'partner.microsoftonline.cn',
      msGraph: 'microsoftgraph.chinacloudapi.cn',
      cloudGraph: 'graph.chinacloudapi.cn',
      rbacUrl: 'https://pas.chinacloudapi.cn',
      federation: 'urn:federation:partner.microsoftonline.cn',
    },
  })[cloudId] ?? publicHosts

/** Returns the tenant of this cloud with an id or a verified domain, ignoring case. */
export const findTenant = ({ tenants }: Cloud, name: string): EntraTenant | undefined =>
  findByName(
    tenants.filter(({ home }) => !home),
    name,
  )

/** Like `findTenant`, also for tenants of other clouds that this one describes. */
export function findByName(tenants: EntraTenant[], name: string): EntraTenant | undefined {
  const lowerCase = name.toLowerCase()
  return tenants.find((tenant) =>
    [tenant.id, tenant.defaultDomain, ...tenant.verifiedDomains].some((known) => known.toLowerCase() === lowerCase),
  )
}

/** Returns the person with an object id, a user principal name or an email, ignoring case. */
export function findPerson(people: EntraPerson[], name: string): EntraPerson | undefined {
  const lowerCase = name.toLowerCase()
  return people.find(({ oid, upn, email }) => [oid, upn, email].some((known) => known.toLowerCase() === lowerCase))
}

/** Returns the object ids of all groups of a person. */
export const listGroupIds = ({ groups = [] }: EntraTenant, { oid, groups: own = [] }: EntraPerson): string[] => [
  ...new Set([...own, ...groups.filter(({ memberIds }) => memberIds.includes(oid)).map(({ id }) => id)]),
]

/** Returns the options of a fault if it is active for a tenant. */
export function findFault({ fault }: Cloud, name: EntraFault, tenantId?: string): FaultOptions | undefined {
  const { tenantId: only } = fault.options
  const isElsewhere = only !== undefined && tenantId !== undefined && only !== tenantId
  return fault.name === name && !isElsewhere ? fault.options : undefined
}

/** Returns the tenant that a fault names instead of the right one. */
export const findOtherTenantId = ({ tenants }: Cloud, { otherTenantId }: FaultOptions, tenantId: string): string =>
  otherTenantId ?? tenants.find(({ id }) => id !== tenantId)?.id ?? 'bbbbbbbb-0000-4000-8000-000000000000'

export const issuerOf = ({ authority }: Pick<Cloud, 'authority'>, tenantId: string) => `${authority}/${tenantId}/v2.0`

export const now = () => Math.floor(Date.now() / 1000)
