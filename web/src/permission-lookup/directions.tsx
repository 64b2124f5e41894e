import type { SubjectReference } from '@passport/contract/permission-terms'
import type { ReactNode } from 'react'
import { parseObject, parseReference } from '../permissions/reference.ts'
import {
  findDefaultResourceType,
  findDefaultSubjectType,
  listUsersetRelations,
  permissionsAndRelations,
  resourceTypes,
  type SchemaWithETag,
  subjectTypes,
  toPermissionOptions,
} from '../permissions/schema.ts'
import type { Option } from '../ui/Select.tsx'
import { findResourceFaults, findSubjectFaults, type LookupFaults } from './lookup-faults.ts'
import {
  findResourceTargets,
  findSubjectTargets,
  type LookupDraft,
  type LookupSearch,
  listSubjectTypes,
  printSubjectType,
} from './lookup-search.ts'
import { type ResultTable, resourceLookup, subjectLookup, type Terms } from './lookups.ts'

/** One side of a comparison: an object and the further parts of the question. */
interface Side {
  object: SubjectReference
  terms: Terms
}

/** The two lookups: from a subject to resources, and from a resource to subjects. */
export interface Direction {
  /** The search parameter of the object, and its label. */
  name: 'subject' | 'resource'
  label: string
  title: string
  description: string
  emptyText: string
  fileName: string
  parse: (text: string | undefined) => SubjectReference | undefined
  types: (schema: SchemaWithETag) => string[]
  defaultType: (schema: SchemaWithETag) => string
  usersetRelations: (schema: SchemaWithETag, type: string) => string[]
  permissionOptions: (schema: SchemaWithETag, draft: LookupDraft) => Option[]
  typeOptions: (schema: SchemaWithETag, draft: LookupDraft) => Option[]
  /** Returns the parts unknown to the schema. */
  findFaults: (schema: SchemaWithETag, draft: LookupDraft) => LookupFaults
  findTables: (schema: SchemaWithETag, search: LookupSearch, left: Side, right: Side | undefined) => ResultTable[]
  /** The question about these objects. */
  heading: (schema: SchemaWithETag, search: LookupSearch, objects: ReactNode) => ReactNode
  /** The columns of the sentence in a wide window, and its parts. */
  sentenceClass: string
  arrange: (parts: { object: ReactNode; permission: ReactNode; type: ReactNode }) => ReactNode
}

const anyPermission = { value: '', label: 'access (any permission)' }

export const resources: Direction = {
  name: 'subject',
  label: 'Subject',
  title: 'What can you access?',
  description: 'Everything a subject can access, with the path to each result.',
  emptyText: 'Choose a subject to list everything it can access, with the path to each result.',
  fileName: 'what-can-you-access.csv',
  parse: parseReference,
  types: subjectTypes,
  defaultType: findDefaultSubjectType,
  usersetRelations: listUsersetRelations,
  permissionOptions: (schema, { type }) => [anyPermission, ...toPermissionOptions(listMembers(schema, type))],
  typeOptions: (schema) => [{ value: '', label: 'any' }, ...resourceTypes(schema).map(toOption)],
  findFaults: findResourceFaults,
  findTables: (schema, search, left, right) =>
    findResourceTargets(schema, left.object, search).map(({ resultType, permissions }) => ({
      resultType,
      columns: permissions.map((permission) => ({
        permission,
        left: resourceLookup(left.object, resultType.type, permission, left.terms),
        right: right && resourceLookup(right.object, resultType.type, permission, right.terms),
      })),
    })),
  heading: (schema, { type = '', permission = 'access' }, objects) =>
    // A relation is not a verb.
    listMembers(schema, type).permissions.includes(permission) || permission === 'access' ? (
      <>
        What can {objects} {permission}?
      </>
    ) : (
      <>
        What is {objects} {permission} of?
      </>
    ),
  sentenceClass: 'nav:grid-cols-[auto_minmax(0,1fr)_minmax(0,14.5rem)_auto_minmax(0,10rem)_auto]',
  arrange: ({ object, permission, type }) => (
    <>
      <span aria-hidden="true">What can</span>
      {object}
      {permission}
      <span aria-hidden="true">of type</span>
      {type}
    </>
  ),
}

export const subjects: Direction = {
  name: 'resource',
  label: 'Resource',
  title: 'Who can access that?',
  description: 'Everyone with a permission on a resource, with the path to each result.',
  emptyText: 'Choose a resource to list everyone who can access it, with the path to each result.',
  fileName: 'who-can-access-that.csv',
  parse: parseObject,
  types: resourceTypes,
  defaultType: findDefaultResourceType,
  usersetRelations: () => [],
  permissionOptions: (schema, { object }) => [
    anyPermission,
    ...toPermissionOptions(permissionsAndRelations(schema, object.type)),
  ],
  typeOptions: (schema, { object, permission }) => [
    { value: '', label: 'subjects (any type)' },
    ...listSubjectTypes(schema, object.type, permission).map(printSubjectType).map(toOption),
  ],
  findFaults: findSubjectFaults,
  findTables: (schema, search, left, right) =>
    findSubjectTargets(schema, left.object.type, search).map(({ resultType, permissions }) => ({
      resultType,
      columns: permissions.map((permission) => ({
        permission,
        left: subjectLookup(left.object, resultType, permission, left.terms),
        right: right && subjectLookup(right.object, resultType, permission, right.terms),
      })),
    })),
  heading: (schema, { resource, permission = 'access' }, objects) => {
    const isRelation = permissionsAndRelations(schema, parseObject(resource)?.type ?? '').relations.includes(permission)
    return (
      <>
        {isRelation ? `Who is ${permission} of` : `Who can ${permission}`} {objects}?
      </>
    )
  },
  sentenceClass: 'nav:grid-cols-[auto_minmax(0,12rem)_auto_minmax(0,14.5rem)_minmax(0,1fr)_auto]',
  arrange: ({ object, permission, type }) => (
    <>
      <span aria-hidden="true">Which</span>
      {type}
      <span aria-hidden="true">can</span>
      {permission}
      {object}
    </>
  ),
}

const toOption = (value: string): Option => ({ value, label: value })

/** Returns the unique names of permissions and relations of a type, or of all types if it is empty. */
function listMembers({ definitions }: SchemaWithETag, type: string) {
  const matchingTypes = definitions.filter(({ name }) => type === '' || name === type)
  const listNames = (members: readonly { name: string }[]) => [...new Set(members.map(({ name }) => name))].toSorted()
  const permissions = listNames(matchingTypes.flatMap(({ permissions }) => permissions))
  const relations = listNames(matchingTypes.flatMap(({ relations }) => relations))
  return { permissions, relations: relations.filter((name) => !permissions.includes(name)) }
}
