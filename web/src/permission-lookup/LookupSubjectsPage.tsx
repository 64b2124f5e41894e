import { Loaded } from '../app/Loaded.tsx'
import { parseObject } from '../permissions/reference.ts'
import {
  findDefaultResourceType,
  permissionsAndRelations,
  resourceTypes,
  type SchemaWithETag,
  toPermissionOptions,
} from '../permissions/schema.ts'
import { ToolHeader } from '../permissions/ToolHeader.tsx'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { useQuestionSchema } from '../permissions/what-if.ts'
import { Empty } from '../ui/Empty.tsx'
import type { Option } from '../ui/Select.tsx'
import { LookupForm, parseDraft } from './LookupForm.tsx'
import { LookupResults } from './LookupResults.tsx'
import { findSubjectFaults } from './lookup-faults.ts'
import { getPartLabels, printSubjectType, subjectTypesOf, useLookupAddress } from './lookup-search.ts'
import { subjectLookup } from './use-lookup-items.ts'

/** Lists the subjects with a permission on a resource, of one type or any; the question is in the URL. */
export function LookupSubjectsPage() {
  return (
    <div className="max-w-[1240px]">
      <ToolHeader
        title="Who can access that?"
        description="Everyone with a permission on a resource, with the path to each result."
      />
      <WhatIfBar />
      <Loaded query={useQuestionSchema()} label="Loading schema" rows={2} rowClass="h-9">
        {(schema) => <Lookup schema={schema} />}
      </Loaded>
    </div>
  )
}

function Lookup({ schema }: { schema: SchemaWithETag }) {
  const { search, terms, comparedTerms, side, show } = useLookupAddress()
  const [resource, otherResource] = [parseObject(search.resource), parseObject(search.with)]
  const { permission } = search
  const otherTerms = otherResource ? terms : comparedTerms
  const defaultType = findDefaultResourceType(schema)
  const faults = findSubjectFaults(schema, parseDraft(search, 'resource', defaultType))
  const hasQuestion = (resource !== undefined && permission !== undefined) || faults.object !== undefined
  const sections =
    resource && permission
      ? subjectTypesOf(schema, resource.type, permission)
          .filter((subjectType) => search.type === undefined || printSubjectType(subjectType) === search.type)
          .map((resultType) => ({
            title: printSubjectType(resultType),
            left: subjectLookup(resource, permission, resultType, terms),
            right: otherTerms && subjectLookup(otherResource ?? resource, permission, resultType, otherTerms),
          }))
      : []
  return (
    <>
      <LookupForm
        label="Resource"
        name="resource"
        types={resourceTypes(schema)}
        findFaults={(draft) => findSubjectFaults(schema, draft)}
        search={search}
        defaultType={defaultType}
        needsPermission
        permissionOptions={({ object }) => permissionOptions(schema, object.type)}
        typeOptions={({ object, permission }) => [
          { value: '', label: 'subjects (any type)' },
          ...subjectTypesOf(schema, object.type, permission).map((subjectType) => {
            const value = printSubjectType(subjectType)
            return { value, label: value }
          }),
        ]}
        onSubmit={show}
      >
        {({ object, permission, type, submitButton }) => (
          <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] lg:grid-cols-[auto_minmax(0,11rem)_auto_minmax(0,10rem)_minmax(0,1fr)_auto]">
            <span aria-hidden="true">Which</span>
            {type}
            <span aria-hidden="true">can</span>
            {permission}
            {object}
            {submitButton}
          </div>
        )}
      </LookupForm>
      {!hasQuestion && (
        <div className="mt-6 rounded-box border border-line bg-card">
          <Empty kind="nothing yet" title="No lookup yet">
            Choose a resource and a permission to list everyone who has it, with the path to each result.
          </Empty>
        </div>
      )}
      {hasQuestion && (
        <LookupResults
          title={`${formatQuestionStart(schema, resource?.type ?? '', permission ?? '')} ${search.resource}${otherResource ? ` and ${search.with}` : ''}${!otherResource && search.since ? ', compared with an earlier revision' : ''}`}
          faults={faults}
          fileName="who-can-access-that.csv"
          sections={sections}
          parts={otherTerms && getPartLabels(search, search.resource ?? '')}
          side={side}
        />
      )}
    </>
  )
}

/** A relation is not a verb. */
const formatQuestionStart = (schema: SchemaWithETag, type: string, permission: string) =>
  permissionsAndRelations(schema, type).relations.includes(permission)
    ? `Who is ${permission} of`
    : `Who can ${permission}`

function permissionOptions(schema: SchemaWithETag, type: string): Option[] {
  const options = toPermissionOptions(permissionsAndRelations(schema, type))
  return options.length > 0 ? options : [{ value: '', label: 'No permissions' }]
}
