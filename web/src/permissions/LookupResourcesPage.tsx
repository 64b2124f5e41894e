import { Loaded } from '../app/Loaded.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useAskedSchema } from './asked-schema.ts'
import { LookupForm } from './LookupForm.tsx'
import { LookupResults } from './LookupResults.tsx'
import { likelySubject } from './likely.ts'
import { draftOf } from './lookup-draft.ts'
import { faultsOfResources } from './lookup-faults.ts'
import { allAskable, askedOfResources, partsOf } from './lookup-search.ts'
import { readReference } from './reference.ts'
import { SupposedBar } from './SupposedBar.tsx'
import { askableOptions, type KnownSchema, resourceTypes, setRelations, subjectTypes } from './schema.ts'
import { ToolHead } from './ToolHead.tsx'
import { resourcesOf } from './use-found.ts'
import { useLookupAddress } from './use-lookup-address.ts'

/** Lists what somebody can reach, of one type or of any; the question stands in the address. */
export function LookupResourcesPage() {
  return (
    <div className="max-w-[1240px]">
      <ToolHead
        title="What can you access?"
        about="Everything that a subject has a permission for, and how it comes to it."
      />
      <SupposedBar />
      <Loaded query={useAskedSchema()} label="Loading the schema" rows={2} rowClass="h-9">
        {(schema) => <Lookup schema={schema} />}
      </Loaded>
    </div>
  )
}

function Lookup({ schema }: { schema: KnownSchema }) {
  const { search, terms, before, side, show } = useLookupAddress()
  const [subject, other] = [readReference(search.subject), readReference(search.with)]
  const then = other ? terms : before
  const likely = likelySubject(schema)
  const faults = faultsOfResources(schema, draftOf(search, 'subject', likely))
  const isAsked = subject !== undefined || faults.about !== undefined
  const sections = subject
    ? askedOfResources(schema, subject, search).map((asked) => ({
        title: `${asked.type} · ${asked.permission}`,
        left: resourcesOf(subject, asked, terms),
        right: then && resourcesOf(other ?? subject, asked, then),
      }))
    : []
  return (
    <>
      <LookupForm
        label="Subject"
        name="subject"
        types={subjectTypes(schema)}
        relationsOf={(type) => setRelations(schema, type)}
        faultsOf={(draft) => faultsOfResources(schema, draft)}
        search={search}
        likely={likely}
        permissionOptions={({ type }) => [
          { value: '', label: 'do anything' },
          ...askableOptions(allAskable(schema, type || undefined)),
        ]}
        typeOptions={() => [
          { value: '', label: 'anything' },
          ...resourceTypes(schema).map((type) => ({ value: type, label: type })),
        ]}
        onAsk={show}
      >
        {({ about, permission, type, ask }) => (
          <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] lg:grid-cols-[auto_minmax(0,1fr)_minmax(0,11rem)_auto_minmax(0,11rem)_auto]">
            <span aria-hidden="true">What can</span>
            {about}
            {permission}
            <span aria-hidden="true">of type</span>
            {type}
            {ask}
          </div>
        )}
      </LookupForm>
      {!isAsked && (
        <div className="mt-6 rounded-box border border-line bg-card">
          <Empty kind="nothing yet" title="Nothing is asked yet">
            Say whose reach it is about. Everything that they can have is listed, with how they come to it.
          </Empty>
        </div>
      )}
      {isAsked && (
        <LookupResults
          title={`What ${search.subject} ${other ? `and ${search.with} ` : ''}can access${!other && search.since ? ', now and then' : ''}`}
          faults={faults}
          fileName="what-can-you-access.csv"
          sections={sections}
          parts={then && partsOf(search, search.subject ?? '')}
          side={side}
        />
      )}
    </>
  )
}
