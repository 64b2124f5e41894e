import * as z from 'zod/mini'
import { AuditRetention } from './audit.ts'
import { AwsProductFields } from './aws-products.ts'
import { BrandingFields, OrgBrandingFields } from './branding.ts'
import {
  adminScopesOfService,
  ClientId,
  clientFields,
  needsFlow,
  pkceOfPublic,
  scopesOfConfidential,
} from './clients.ts'
import { ContentFields, contentSlugs, Locale } from './content.ts'
import { Origins, StackName } from './cors.ts'
import { DomainName } from './domain-name.ts'
import { entitlementFields, unitOfQuantity } from './entitlements.ts'
import { exactlyOne } from './exactly-one.ts'
import { GroupDescription, GroupName, GroupRoles } from './groups.ts'
import { ApiFields, BuiltInApiFields } from './identity-apis.ts'
import { AppRole, consumerTenantId, Guid, maxMappings } from './org-entra.ts'
import { orgFields, Slug } from './orgs.ts'
import { maxAssertions, maxSchemaLength, NewAssertion } from './permission-files.ts'
import { refuseUnknown } from './request-body.ts'
import { RoleDescription, RoleName } from './roles.ts'

/** A role that is not built in, identified by its name. */
export const RoleEntry = z.object({ name: RoleName, description: RoleDescription })
export type RoleEntry = z.infer<typeof RoleEntry>

/** An organisation, identified by its slug. */
export const OrgEntry = z.object({ ...orgFields, domains: z.array(DomainName) })
export type OrgEntry = z.infer<typeof OrgEntry>

/** A group, identified by its name in its organisation; null means no organisation. */
export const GroupEntry = z.object({
  org: z.nullable(Slug),
  name: GroupName,
  description: GroupDescription,
  roles: GroupRoles,
})
export type GroupEntry = z.infer<typeof GroupEntry>

/** An application of the console, identified by its client id, without its secrets. */
export const ClientEntry = z
  .object({ clientId: ClientId, confidential: z.boolean(), ...clientFields })
  .check(needsFlow, adminScopesOfService, pkceOfPublic, ...scopesOfConfidential)
export type ClientEntry = z.infer<typeof ClientEntry>

/** An identity API that is not built in, identified by its name. */
export const ApiEntry = ApiFields
export type ApiEntry = z.infer<typeof ApiEntry>

/** What the console edits of the built-in API. */
export const BuiltInApiEntry = BuiltInApiFields
export type BuiltInApiEntry = z.infer<typeof BuiltInApiEntry>

/** An entitlement, identified by its key, without its grants. */
export const EntitlementEntry = z.object(entitlementFields).check(unitOfQuantity)
export type EntitlementEntry = z.infer<typeof EntitlementEntry>

/** A product in AWS Marketplace, identified by its product code. Its dimensions name entitlements by key. */
export const AwsProductEntry = AwsProductFields
export type AwsProductEntry = z.infer<typeof AwsProductEntry>

/** A published text, identified by its slot and its language. Drafts are not described. */
export const ContentEntry = z.extend(ContentFields, { slug: z.enum(contentSlugs), locale: Locale })
export type ContentEntry = z.infer<typeof ContentEntry>

/** A picture as a data URL, which is encoded again when it is applied. */
const PictureUrl = z.string().check(z.regex(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/), z.maxLength(400_000))

/** The branding of the installation, with its pictures. Null means the configuration or the default. */
export const BrandingEntry = z.extend(BrandingFields, {
  logo: z.nullable(PictureUrl),
  favicon: z.nullable(PictureUrl),
})
export type BrandingEntry = z.infer<typeof BrandingEntry>

/** The branding of an organisation, identified by its slug. */
export const OrgBrandingEntry = z.extend(OrgBrandingFields, { org: Slug, logo: z.nullable(PictureUrl) })
export type OrgBrandingEntry = z.infer<typeof OrgBrandingEntry>

/** The saved origins of a stack, identified by its name. */
export const CorsEntry = z.object({
  stack: StackName,
  origins: Origins,
})
export type CorsEntry = z.infer<typeof CorsEntry>

/**
 * What a group of the tenant, or an app role, gives here: a group or a role. One of `groupObjectId` and `appRole` is set,
 * and one of `group` and `role`.
 */
const TenantMapping = z
  .object({
    groupObjectId: z.exactOptional(Guid),
    appRole: z.exactOptional(AppRole),
    group: z.exactOptional(z.object({ org: z.nullable(Slug), name: GroupName })),
    role: z.exactOptional(RoleName),
  })
  .check(exactlyOne('groupObjectId', 'appRole'), exactlyOne('group', 'role'))

/**
 * The tenant of Microsoft Entra of an organisation, identified by the slug. Whether the tenant has consented, and whether
 * its users can sign in, is not configuration: both are proven in the installation.
 */
export const TenantEntry = z.object({
  org: Slug,
  tenantId: Guid.check(
    z.refine((id) => id !== consumerTenantId, { error: 'The tenant of personal accounts belongs to no organisation.' }),
  ),
  cloud: z.string().check(z.minLength(1), z.maxLength(64)),
  allowGuests: z.boolean(),
  mappings: z.array(TenantMapping).check(z.maxLength(maxMappings)),
})
export type TenantEntry = z.infer<typeof TenantEntry>

/** The permission schema, without the part of the directory, and the assertions about it. */
export const PermissionsEntry = z.object({
  schema: z.string().check(z.maxLength(maxSchemaLength)),
  assertions: z.array(NewAssertion).check(z.maxLength(maxAssertions)),
})
export type PermissionsEntry = z.infer<typeof PermissionsEntry>

/** How long audit events are kept. */
export const AuditEntry = z.object({ days: AuditRetention.shape.days })
export type AuditEntry = z.infer<typeof AuditEntry>

/**
 * The structure of a directory as a file, without its users. A file without `clients` does not describe applications,
 * one without `apis` does not describe identity APIs, and so on for the other optional members. Unknown members are errors.
 */
export const DirectoryConfig = refuseUnknown(
  z.object({
    version: z.literal(1),
    roles: z.array(RoleEntry),
    orgs: z.array(OrgEntry),
    groups: z.array(GroupEntry),
    clients: z.optional(z.array(ClientEntry)),
    apis: z.optional(z.array(ApiEntry)),
    builtInApi: z.optional(BuiltInApiEntry),
    entitlements: z.optional(z.array(EntitlementEntry)),
    awsProducts: z.optional(z.array(AwsProductEntry)),
    contents: z.optional(z.array(ContentEntry)),
    branding: z.optional(BrandingEntry),
    orgBrandings: z.optional(z.array(OrgBrandingEntry)),
    corsOrigins: z.optional(z.array(CorsEntry)),
    tenants: z.optional(z.array(TenantEntry)),
    permissions: z.optional(PermissionsEntry),
    audit: z.optional(AuditEntry),
  }),
)
export type DirectoryConfig = z.infer<typeof DirectoryConfig>
