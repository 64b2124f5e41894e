import * as z from 'zod/mini'
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
import { GroupDescription, GroupName, GroupRoles } from './groups.ts'
import { ApiFields } from './identity-apis.ts'
import { orgFields, Slug } from './orgs.ts'
import { RoleDescription, RoleName } from './roles.ts'

/** A role that is not built in, identified by its name. */
export const RoleEntry = z.strictObject({ name: RoleName, description: RoleDescription })
export type RoleEntry = z.infer<typeof RoleEntry>

/** An organisation, identified by its slug. */
export const OrgEntry = z.strictObject({ ...orgFields, domains: z.array(DomainName) })
export type OrgEntry = z.infer<typeof OrgEntry>

/** A group, identified by its name in its organisation; null means no organisation. */
export const GroupEntry = z.strictObject({
  org: z.nullable(Slug),
  name: GroupName,
  description: GroupDescription,
  roles: GroupRoles,
})
export type GroupEntry = z.infer<typeof GroupEntry>

/** An application of the console, identified by its client id, without its secrets. */
export const ClientEntry = z
  .strictObject({ clientId: ClientId, confidential: z.boolean(), ...clientFields })
  .check(needsFlow, adminScopesOfService, pkceOfPublic, ...scopesOfConfidential)
export type ClientEntry = z.infer<typeof ClientEntry>

/** An identity API that is not built in, identified by its name. */
export const ApiEntry = ApiFields
export type ApiEntry = z.infer<typeof ApiEntry>

/** An entitlement, identified by its key, without its grants. */
export const EntitlementEntry = z.strictObject(entitlementFields).check(unitOfQuantity)
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
export const CorsEntry = z.strictObject({
  stack: StackName,
  origins: Origins,
})
export type CorsEntry = z.infer<typeof CorsEntry>

/**
 * The structure of a directory as a file, without its users. A file without `clients` does not describe applications,
 * one without `apis` does not describe identity APIs, and so on for `entitlements`, `awsProducts` (products in AWS
 * Marketplace), `contents` (published texts), `branding`, `orgBrandings` and `corsOrigins`.
 */
export const DirectoryConfig = z.strictObject({
  version: z.literal(1),
  roles: z.array(RoleEntry),
  orgs: z.array(OrgEntry),
  groups: z.array(GroupEntry),
  clients: z.optional(z.array(ClientEntry)),
  apis: z.optional(z.array(ApiEntry)),
  entitlements: z.optional(z.array(EntitlementEntry)),
  awsProducts: z.optional(z.array(AwsProductEntry)),
  contents: z.optional(z.array(ContentEntry)),
  branding: z.optional(BrandingEntry),
  orgBrandings: z.optional(z.array(OrgBrandingEntry)),
  corsOrigins: z.optional(z.array(CorsEntry)),
})
export type DirectoryConfig = z.infer<typeof DirectoryConfig>
