import { type Entitlement, getEntitlement, putEntitlement } from '@passport/contract/entitlements'
import { Link } from '@tanstack/react-router'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import type { RecordDetail } from '../directory/RecordPage.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Field } from '../ui/Field.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { EntitlementFrame } from './EntitlementFrame.tsx'
import { kindNames } from './words.ts'

/** What a definition is, where it is sold, and how apps read it. */
export const SettingsPage = () => (
  <EntitlementFrame>
    {(entitlement) => (
      <div className="cols">
        <div className="grid gap-4">
          <Definition entitlement={entitlement} />
          <Products entitlement={entitlement} />
        </div>
        <Claim entitlement={entitlement} />
      </div>
    )}
  </EntitlementFrame>
)

function Definition({ entitlement }: { entitlement: Entitlement }) {
  const { isEditing, close } = useEditing()
  if (isEditing) return <EntitlementForm key={entitlement.id} entitlement={entitlement} onClose={close} />
  const { id, key, kind, unit, description, createdAt, updatedAt } = entitlement
  const details: RecordDetail[] = [
    ['Key', <Copied key="key" text={key} label="Copy key" />],
    ['Kind', kindNames[kind]],
    kind === 'quantity' && ['Unit', unit ?? '–'],
    ['Description', description || '–'],
    ['Created', <RelativeTime key="created" at={createdAt} />],
    ['Updated', <RelativeTime key="updated" at={updatedAt} />],
    ['ID', <Copied key="id" text={id} label="Copy ID" />],
  ]
  return (
    <Card title="Definition" action={<EditButton />}>
      <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] gap-x-6 gap-y-2.5 px-4 pt-1 pb-4 sm:px-[18px]">
        {details
          .filter((detail) => !!detail)
          .map(([what, value]) => (
            <div key={what} className="contents">
              <dt className="text-ink3">{what}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}

const Copied = ({ text, label }: { text: string; label: string }) => (
  <span className="-my-1.5 flex min-w-0 items-center gap-1">
    <code className="truncate font-mono text-[12.5px]" title={text}>
      {text}
    </code>
    <CopyButton text={text} label={label} />
  </span>
)

const toSaved = (entitlement: Entitlement) => ({
  values: { name: entitlement.name, unit: entitlement.unit ?? '', description: entitlement.description },
  version: entitlement.version,
  record: entitlement,
})

function EntitlementForm({ entitlement, onClose }: { entitlement: Entitlement; onClose: () => void }) {
  const params = { entitlementId: entitlement.id }
  const record = useRecordForm({
    saved: toSaved(entitlement),
    labels: { name: 'Name', unit: 'Unit', description: 'Description' },
    save: ({ unit, ...values }, options, entitlement) => {
      const body = { ...entitlement, ...values, unit: unit.trim() || null }
      return call(putEntitlement, { params, query: {}, body }, options)
    },
    reload: async () => toSaved(await call(getEntitlement, { params, query: {} })),
    onSaved: () => {
      void queryClient.invalidateQueries()
      reportSuccess('Saved')
      onClose()
    },
  })
  const { register } = record.form
  return (
    <EditCard record={record} recordLabel="this entitlement" title="Edit entitlement" onClose={onClose}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...register('name')} />
        {entitlement.kind === 'quantity' && (
          <Field
            label="Unit"
            hint="In the plural. Optional."
            autoComplete="off"
            error={record.errorOf('unit')}
            {...register('unit')}
          />
        )}
      </div>
      <Field
        label="Description"
        autoComplete="off"
        error={record.errorOf('description')}
        {...register('description')}
      />
    </EditCard>
  )
}

function Products({ entitlement: { mappings } }: { entitlement: Entitlement }) {
  return (
    <Card title="Sold on AWS Marketplace">
      {mappings.length === 0 && <CardText>No product</CardText>}
      <CardRows>
        {mappings.map(({ productId, productName, dimension }) => (
          <CardRow
            key={`${productId} ${dimension}`}
            picture={<ObjectIcon kind="aws-product" />}
            name={
              <Link to={`/admin/awsproducts/${encodeURIComponent(productId)}` as never} className="hover:underline">
                {productName}
              </Link>
            }
            aside={
              <>
                Dimension <code className="font-mono text-[12.5px]">{dimension}</code>
              </>
            }
          />
        ))}
      </CardRows>
    </Card>
  )
}

/** How apps read the entitlement of a user. */
function Claim({ entitlement: { key, kind } }: { entitlement: Entitlement }) {
  const claim = JSON.stringify({ ent: { [key]: kind === 'flag' ? true : 25 } }, null, 2)
  return (
    <Card title="In tokens">
      <div className="grid grid-cols-1 gap-3 px-4 pb-4 text-ink2 sm:px-[18px]">
        <p>
          With the scope <code className="font-mono text-[13px]">entitlements</code>, access tokens and user info have
          the claim <code className="font-mono text-[13px]">ent</code>
          {kind === 'quantity' && ', added up over the user’s organisations'}.
        </p>
        <pre className="overflow-x-auto rounded-ctl bg-well px-3 py-2.5 font-mono text-[12.5px] leading-relaxed text-ink">
          {claim}
        </pre>
      </div>
    </Card>
  )
}
