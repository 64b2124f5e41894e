import { DomainName } from '@passport/contract/domain-name'
import type { Schema } from '@passport/contract/endpoint'
import { GroupName } from '@passport/contract/groups'
import { Slug } from '@passport/contract/orgs'
import { RoleName } from '@passport/contract/roles'
import * as z from 'zod/mini'
import { isValidText } from '../http/valid-text.ts'

type Name = string | undefined

/** The names in a document by position; undefined for invalid ones. */
export interface Names {
  roles: { name: Name }[]
  orgs: { slug: Name; domains: Name[] }[]
  groups: { org: Name | null; name: Name; roles: Name[] }[]
}

/** Extracts the names from any value, so that invalid ones do not hide faults of others. */
export function extractNames(document: unknown): Names {
  return {
    roles: readList(document, 'roles').map((role) => ({ name: read(RoleName, readMember(role, 'name')) })),
    orgs: readList(document, 'orgs').map((org) => ({
      slug: read(Slug, readMember(org, 'slug')),
      domains: readList(org, 'domains').map((domain) => read(DomainName, domain)),
    })),
    groups: readList(document, 'groups').map((group) => {
      const org = readMember(group, 'org')
      return {
        org: org === null ? null : read(Slug, org),
        name: read(GroupName, readMember(group, 'name')),
        roles: readList(group, 'roles').map((role) => read(RoleName, role)),
      }
    }),
  }
}

const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const readList = (value: unknown, name: string): unknown[] => {
  const list = readMember(value, name)
  return Array.isArray(list) ? list : []
}

function read(schema: Schema<string>, value: unknown): Name {
  const { data } = z.safeParse(schema, value)
  return data !== undefined && isValidText(data) ? data : undefined
}
