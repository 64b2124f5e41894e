import { AwsProductCode } from '@passport/contract/aws-products'
import { ClientId } from '@passport/contract/clients'
import { contentSlugs, Locale } from '@passport/contract/content'
import { StackName } from '@passport/contract/cors'
import { DomainName } from '@passport/contract/domain-name'
import type { Schema } from '@passport/contract/endpoint'
import { EntitlementKey } from '@passport/contract/entitlements'
import { GroupName } from '@passport/contract/groups'
import { ScopeName } from '@passport/contract/identity-apis'
import { Guid } from '@passport/contract/org-entra'
import { Slug } from '@passport/contract/orgs'
import { RoleName } from '@passport/contract/roles'
import * as z from 'zod/mini'
import { isValidText } from '../http/storable-text.ts'

type ParsedName = string | undefined

interface MappedName {
  role: ParsedName
  group: { org: ParsedName | null; name: ParsedName } | undefined
}

/** The names in a document by position; undefined for invalid ones. */
export interface Names {
  roles: { name: ParsedName }[]
  orgs: { slug: ParsedName; domains: ParsedName[] }[]
  groups: { org: ParsedName | null; name: ParsedName; roles: ParsedName[] }[]
  clients: { clientId: ParsedName; confidential: unknown }[]
  apis: { name: ParsedName }[]
  entitlements: { key: ParsedName; kind: unknown }[]
  awsProducts: { productCode: ParsedName }[]
  contents: { slug: ParsedName; locale: ParsedName }[]
  orgBrandings: { org: ParsedName }[]
  corsOrigins: { stack: ParsedName }[]
  tenants: { org: ParsedName; tenantId: ParsedName; cloud: unknown; mappings: MappedName[] }[]
}

/** Extracts the names from any value, so that one invalid entry does not hide the errors of the others. */
export function extractNames(document: unknown): Names {
  return {
    roles: readList(document, 'roles').map((role) => ({ name: parseName(RoleName, readProperty(role, 'name')) })),
    orgs: readList(document, 'orgs').map((org) => ({
      slug: parseName(Slug, readProperty(org, 'slug')),
      domains: readList(org, 'domains').map((domain) => parseName(DomainName, domain)),
    })),
    groups: readList(document, 'groups').map((group) => ({
      ...parseGroup(group),
      roles: readList(group, 'roles').map((role) => parseName(RoleName, role)),
    })),
    clients: readList(document, 'clients').map((client) => ({
      clientId: parseName(ClientId, readProperty(client, 'clientId')),
      confidential: readProperty(client, 'confidential'),
    })),
    apis: readList(document, 'apis').map((api) => ({ name: parseName(ScopeName, readProperty(api, 'name')) })),
    entitlements: readList(document, 'entitlements').map((entitlement) => ({
      key: parseName(EntitlementKey, readProperty(entitlement, 'key')),
      kind: readProperty(entitlement, 'kind'),
    })),
    awsProducts: readList(document, 'awsProducts').map((product) => ({
      productCode: parseName(AwsProductCode, readProperty(product, 'productCode')),
    })),
    contents: readList(document, 'contents').map((content) => ({
      slug: parseName(z.enum(contentSlugs), readProperty(content, 'slug')),
      locale: parseName(Locale, readProperty(content, 'locale')),
    })),
    orgBrandings: readList(document, 'orgBrandings').map((entry) => ({
      org: parseName(Slug, readProperty(entry, 'org')),
    })),
    corsOrigins: readList(document, 'corsOrigins').map((entry) => ({
      stack: parseName(StackName, readProperty(entry, 'stack')),
    })),
    tenants: readList(document, 'tenants').map((entry) => ({
      org: parseName(Slug, readProperty(entry, 'org')),
      tenantId: parseName(Guid, readProperty(entry, 'tenantId')),
      cloud: readProperty(entry, 'cloud'),
      mappings: readList(entry, 'mappings').map((mapping) => ({
        role: parseName(RoleName, readProperty(mapping, 'role')),
        group: readProperty(mapping, 'group') === undefined ? undefined : parseGroup(readProperty(mapping, 'group')),
      })),
    })),
  }
}

function parseGroup(value: unknown): { org: ParsedName | null; name: ParsedName } {
  const org = readProperty(value, 'org')
  return { org: org === null ? null : parseName(Slug, org), name: parseName(GroupName, readProperty(value, 'name')) }
}

const readProperty = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const readList = (value: unknown, name: string): unknown[] => {
  const list = readProperty(value, name)
  return Array.isArray(list) ? list : []
}

function parseName(schema: Schema<string>, value: unknown): ParsedName {
  const { data } = z.safeParse(schema, value)
  return data !== undefined && isValidText(data) ? data : undefined
}
