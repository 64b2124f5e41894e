import { Loaded } from '../app/Loaded.tsx'
import { Empty } from '../ui/Empty.tsx'
import type { Option } from '../ui/Select.tsx'
import { useAskedSchema } from './asked-schema.ts'
import { LookupForm } from './LookupForm.tsx'
import { LookupResults } from './LookupResults.tsx'
import { likelyResource } from './likely.ts'
import { draftOf } from './lookup-draft.ts'
import { faultsOfSubjects } from './lookup-faults.ts'
import { partsOf, printSubjectType, subjectTypesOf } from './lookup-search.ts'
import { readObject } from './reference.ts'
import { SupposedBar } from './SupposedBar.tsx'
import { askable, askableOptions, type KnownSchema, resourceTypes } from './schema.ts'
import { ToolHead } from './ToolHead.tsx'
import { subjectsOf } from './use-found.ts'
import { useLookupAddress } from './use-lookup-address.ts'

/** Lists who has a permission for something, of one type or of any; the question stands in the address. */
export function LookupSubjectsPage() {
  return (
    <div className="max-w-[1240px]">
      <ToolHead
        title="Who can access that?"
        about="Everybody who has a permission for a resource, and how they come to it."
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
  const [resource, other] = [readObject(search.resource), readObject(search.with)]
  const { permission } = search
  const then = other ? terms : before
  const likely = likelyResource(schema)
  const faults = faultsOfSubjects(schema, draftOf(search, 'resource', likely))
  const isAsked = (resource !== undefined && permission !== undefined) || faults.about !== undefined
  const sections =
    resource && permission
      ? subjectTypesOf(schema, resource.type, permission)
          .filter((one) => search.type === undefined || printSubjectType(one) === search.type)
          .map((found) => ({
            title: printSubjectType(found),
            left: subjectsOf(resource, permission, found, terms),
            right: then && subjectsOf(other ?? resource, permission, found, then),
          }))
      : []
  return (
    <>
      <LookupForm
        label="Resource"
        name="resource"
        types={resourceTypes(schema)}
        faultsOf={(draft) => faultsOfSubjects(schema, draft)}
        search={search}
        likely={likely}
        needsPermission
        permissionOptions={({ about }) => permissionOptions(schema, about.type)}
        typeOptions={({ about, permission }) => [
          { value: '', label: 'Anybody' },
          ...subjectTypesOf(schema, about.type, permission).map((one) => {
            const value = printSubjectType(one)
            return { value, label: `Any ${value}` }
          }),
        ]}
        onAsk={show}
      >
        {({ about, permission, type, ask }) => (
          <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] lg:grid-cols-[auto_minmax(0,11rem)_auto_minmax(0,10rem)_minmax(0,1fr)_auto]">
            <span aria-hidden="true">Who of</span>
            {type}
            <span aria-hidden="true">can</span>
            {permission}
            {about}
            {ask}
          </div>
        )}
      </LookupForm>
      {!isAsked && (
        <div className="mt-6 rounded-box border border-line bg-card">
          <Empty kind="nothing yet" title="Nothing is asked yet">
            Say which thing it is about. Everybody who can reach it is listed, with how they come to it.
          </Empty>
        </div>
      )}
      {isAsked && (
        <LookupResults
          title={`${whoCan(schema, resource?.type ?? '', permission ?? '')} ${search.resource}${other ? ` and ${search.with}` : ''}${!other && search.since ? ', now and then' : ''}`}
          faults={faults}
          fileName="who-can-access-that.csv"
          sections={sections}
          parts={then && partsOf(search, search.resource ?? '')}
          side={side}
        />
      )}
    </>
  )
}

/** A relation is no verb. */
const whoCan = (schema: KnownSchema, type: string, permission: string) =>
  askable(schema, type).relations.includes(permission) ? `Who is ${permission} of` : `Who can ${permission}`

function permissionOptions(schema: KnownSchema, type: string): Option[] {
  const all = askableOptions(askable(schema, type))
  return all.length > 0 ? all : [{ value: '', label: 'nothing' }]
}
