import type { SubjectReference } from '@passport/contract/permission-terms'
import type { ReactNode } from 'react'
import { describeType, parseObject, parseReference } from '../permissions/reference.ts'
import {
  findDefaultResourceType,
  findDefaultSubjectType,
  listPermissionsAndRelations,
  listResourceTypes,
  listSubjectTypes,
  listUsersetRelations,
  type SchemaWithETag,
  toPermissionOptions,
} from '../permissions/schema.ts'
import type { Option } from '../ui/Select.tsx'
import { findResourceLookupErrors, findSubjectLookupErrors, type LookupErrors } from './lookup-errors.ts'
import {
  findResourceTargets,
  findSubjectTargets,
  type LookupDraft,
  type LookupSearch,
  listPossibleSubjectTypes,
  printSubjectType,
  type SubjectType,
} from './lookup-search.ts'
import { createResourceLookup, createSubjectLookup, type EvaluationOptions, type ResultTable } from './lookups.ts'

/** An object to look up, alone or as a side of a comparison. */
interface LookupInput {
  object: SubjectReference
  options: EvaluationOptions
}

/** A direction of lookups: from a subject to resources, or from a resource to subjects. */
export interface Direction {
  /** The search parameter of the object, and its label. */
  name: 'subject' | 'resource'
  label: string
  title: string
  description: string
  /** The noun of a result, without and with “s”. */
  nouns: readonly [string, string]
  fileName: string
  parse: (text: string | undefined) => SubjectReference | undefined
  listTypes: (schema: SchemaWithETag) => string[]
  findDefaultType: (schema: SchemaWithETag) => string
  listUsersetRelations: (schema: SchemaWithETag, type: string) => string[]
  listPermissionOptions: (schema: SchemaWithETag, draft: LookupDraft) => Option[]
  listTypeOptions: (schema: SchemaWithETag, draft: LookupDraft) => Option[]
  findErrors: (schema: SchemaWithETag, draft: LookupDraft) => LookupErrors
  findTables: (
    schema: SchemaWithETag,
    search: LookupSearch,
    left: LookupInput,
    right: LookupInput | undefined,
  ) => ResultTable[]
  /** Renders the question as a heading. */
  renderHeading: (schema: SchemaWithETag, search: LookupSearch, objects: ReactNode) => ReactNode
  /** The grid columns of the sentence in a wide window. */
  sentenceClass: string
  /** Renders the fields as a sentence. */
  renderSentence: (parts: { object: ReactNode; permission: ReactNode; type: ReactNode }) => ReactNode
}

const anyPermission = { value: '', label: 'access (any permission)' }

export const resourceDirection: Direction = {
  name: 'subject',
  label: 'Subject',
  title: 'What can you access?',
  description: 'Everything a subject can access, with the path to each result.',
  nouns: ['resource', 'resources'],
  fileName: 'what-can-you-access.csv',
  parse: parseReference,
  listTypes: listSubjectTypes,
  findDefaultType: findDefaultSubjectType,
  listUsersetRelations,
  listPermissionOptions: (schema, { type }) => [anyPermission, ...toPermissionOptions(listMembers(schema, type))],
  listTypeOptions: (schema) => [
    { value: '', label: 'any' },
    ...listResourceTypes(schema).map((type) => toOption({ type })),
  ],
  findErrors: findResourceLookupErrors,
  findTables: (schema, search, left, right) =>
    findResourceTargets(schema, left.object, search).map(({ resultType, permissions }) => ({
      resultType,
      columns: permissions.map((permission) => ({
        permission,
        left: createResourceLookup(left.object, resultType.type, permission, left.options),
        right: right && createResourceLookup(right.object, resultType.type, permission, right.options),
      })),
    })),
  renderHeading: (schema, { type = '', permission = 'access' }, objects) =>
    // The name of a relation is not a verb.
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
  renderSentence: ({ object, permission, type }) => (
    <>
      <span aria-hidden="true">What can</span>
      {object}
      {permission}
      <span aria-hidden="true">of type</span>
      {type}
    </>
  ),
}

export const subjectDirection: Direction = {
  name: 'resource',
  label: 'Resource',
  title: 'Who can access that?',
  description: 'Everyone with a permission on a resource, with the path to each result.',
  nouns: ['subject', 'subjects'],
  fileName: 'who-can-access-that.csv',
  parse: parseObject,
  listTypes: listResourceTypes,
  findDefaultType: findDefaultResourceType,
  listUsersetRelations: () => [],
  listPermissionOptions: (schema, { object }) => [
    anyPermission,
    ...toPermissionOptions(listPermissionsAndRelations(schema, object.type)),
  ],
  listTypeOptions: (schema, { object, permission }) => [
    { value: '', label: 'subjects (any type)' },
    ...listPossibleSubjectTypes(schema, object.type, permission).map(toOption),
  ],
  findErrors: findSubjectLookupErrors,
  findTables: (schema, search, left, right) =>
    findSubjectTargets(schema, left.object.type, search).map(({ resultType, permissions }) => ({
      resultType,
      columns: permissions.map((permission) => ({
        permission,
        left: createSubjectLookup(left.object, resultType, permission, left.options),
        right: right && createSubjectLookup(right.object, resultType, permission, right.options),
      })),
    })),
  renderHeading: (schema, { resource, permission = 'access' }, objects) => {
    const isRelation = listPermissionsAndRelations(schema, parseObject(resource)?.type ?? '').relations.includes(
      permission,
    )
    return (
      <>
        {isRelation ? `Who is ${permission} of` : `Who can ${permission}`} {objects}?
      </>
    )
  },
  sentenceClass: 'nav:grid-cols-[auto_minmax(0,12rem)_auto_minmax(0,14.5rem)_minmax(0,1fr)_auto]',
  renderSentence: ({ object, permission, type }) => (
    <>
      <span aria-hidden="true">Which</span>
      {type}
      <span aria-hidden="true">can</span>
      {permission}
      {object}
    </>
  ),
}

const toOption = (type: SubjectType): Option => ({ value: printSubjectType(type), label: describeType(type) })

/** Returns the names of permissions and of other relations of a type, or of all types if it is empty. */
function listMembers({ definitions }: SchemaWithETag, type: string) {
  const matchingTypes = definitions.filter(({ name }) => type === '' || name === type)
  const listNames = (members: readonly { name: string }[]) => [...new Set(members.map(({ name }) => name))].toSorted()
  const permissions = listNames(matchingTypes.flatMap(({ permissions }) => permissions))
  const relations = listNames(matchingTypes.flatMap(({ relations }) => relations))
  return { permissions, relations: relations.filter((name) => !permissions.includes(name)) }
}
