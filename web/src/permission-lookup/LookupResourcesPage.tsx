import { Loaded } from '../app/Loaded.tsx'
import { parseReference } from '../permissions/reference.ts'
import {
  findDefaultSubjectType,
  listUsersetRelations,
  resourceTypes,
  type SchemaWithETag,
  subjectTypes,
  toPermissionOptions,
} from '../permissions/schema.ts'
import { ToolHeader } from '../permissions/ToolHeader.tsx'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { useQuestionSchema } from '../permissions/what-if.ts'
import { Empty } from '../ui/Empty.tsx'
import { LookupForm, parseDraft } from './LookupForm.tsx'
import { LookupResults } from './LookupResults.tsx'
import { findResourceFaults } from './lookup-faults.ts'
import { allPermissionsAndRelations, findLookupTargets, getPartLabels, useLookupAddress } from './lookup-search.ts'
import { resourceLookup } from './use-lookup-items.ts'

/** Lists what a subject can access, of one type or any; the question is in the URL. */
export function LookupResourcesPage() {
  return (
    <div className="max-w-[1240px]">
      <ToolHeader
        title="What can you access?"
        description="Everything a subject can access, with the path to each result."
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
  const [subject, otherSubject] = [parseReference(search.subject), parseReference(search.with)]
  const otherTerms = otherSubject ? terms : comparedTerms
  const defaultType = findDefaultSubjectType(schema)
  const faults = findResourceFaults(schema, parseDraft(search, 'subject', defaultType))
  const hasQuestion = subject !== undefined || faults.object !== undefined
  const sections = subject
    ? findLookupTargets(schema, subject, search).map((target) => ({
        title: `${target.type} · ${target.permission}`,
        left: resourceLookup(subject, target, terms),
        right: otherTerms && resourceLookup(otherSubject ?? subject, target, otherTerms),
      }))
    : []
  return (
    <>
      <LookupForm
        label="Subject"
        name="subject"
        types={subjectTypes(schema)}
        usersetRelationsOf={(type) => listUsersetRelations(schema, type)}
        findFaults={(draft) => findResourceFaults(schema, draft)}
        search={search}
        defaultType={defaultType}
        permissionOptions={({ type }) => [
          { value: '', label: 'access (any permission)' },
          ...toPermissionOptions(allPermissionsAndRelations(schema, type || undefined)),
        ]}
        typeOptions={() => [
          { value: '', label: 'any' },
          ...resourceTypes(schema).map((type) => ({ value: type, label: type })),
        ]}
        onSubmit={show}
      >
        {({ object, permission, type, submitButton }) => (
          <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] lg:grid-cols-[auto_minmax(0,1fr)_minmax(0,11rem)_auto_minmax(0,11rem)_auto]">
            <span aria-hidden="true">What can</span>
            {object}
            {permission}
            <span aria-hidden="true">of type</span>
            {type}
            {submitButton}
          </div>
        )}
      </LookupForm>
      {!hasQuestion && (
        <div className="mt-6 rounded-box border border-line bg-card">
          <Empty kind="nothing yet" title="No lookup yet">
            Choose a subject to list everything it can access, with the path to each result.
          </Empty>
        </div>
      )}
      {hasQuestion && (
        <LookupResults
          title={`What ${search.subject} ${otherSubject ? `and ${search.with} ` : ''}can access${!otherSubject && search.since ? ', compared with an earlier revision' : ''}`}
          faults={faults}
          fileName="what-can-you-access.csv"
          sections={sections}
          parts={otherTerms && getPartLabels(search, search.subject ?? '')}
          side={side}
        />
      )}
    </>
  )
}
