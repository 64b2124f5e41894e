import { DomainName } from '@passport/contract/domain-name'
import type { Schema } from '@passport/contract/endpoint'
import { GroupName } from '@passport/contract/groups'
import { Slug } from '@passport/contract/orgs'
import { RoleName } from '@passport/contract/roles'
import * as z from 'zod/mini'
import { isStorable } from '../http/storable.ts'

type Name = string | undefined

/** The names in a document at their places; undefined is one that is none. */
export interface Names {
  roles: { name: Name }[]
  orgs: { slug: Name; domains: Name[] }[]
  groups: { org: Name | null; name: Name; roles: Name[] }[]
}

/** Reads the names of a value that may be anything, so that what is wrong with some does not hide what is with others. */
export function namesIn(document: unknown): Names {
  return {
    roles: listIn(document, 'roles').map((role) => ({ name: read(RoleName, memberOf(role, 'name')) })),
    orgs: listIn(document, 'orgs').map((org) => ({
      slug: read(Slug, memberOf(org, 'slug')),
      domains: listIn(org, 'domains').map((domain) => read(DomainName, domain)),
    })),
    groups: listIn(document, 'groups').map((group) => {
      const org = memberOf(group, 'org')
      return {
        org: org === null ? null : read(Slug, org),
        name: read(GroupName, memberOf(group, 'name')),
        roles: listIn(group, 'roles').map((role) => read(RoleName, role)),
      }
    }),
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const listIn = (value: unknown, name: string): unknown[] => {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list : []
}

function read(schema: Schema<string>, value: unknown): Name {
  const { data } = z.safeParse(schema, value)
  return data !== undefined && isStorable(data) ? data : undefined
}
