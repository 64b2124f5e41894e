import { type Grant, listGrants } from '@passport/contract/entitlement-grants'
import type { Entitlement } from '@passport/contract/entitlements'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { formatDate } from './days.ts'
import { EntitlementFrame } from './EntitlementFrame.tsx'
import { Meter } from './GrantCells.tsx'
import { UsageHours } from './UsageHours.tsx'
import { formatQuantity } from './words.ts'

/** What organisations have used of a quantity, as applications reported it. */
export const UsagePage = () => (
  <EntitlementFrame>{(entitlement) => <Usage entitlement={entitlement} />}</EntitlementFrame>
)

function Usage({ entitlement }: { entitlement: Entitlement }) {
  const { unit } = entitlement
  const state = useListState({ filters: {}, sorts: [] })
  const { sort, ...page } = state.query
  const list = useList(listGrants, {
    params: { entitlementId: entitlement.id },
    query: { ...page, status: 'active' },
  })
  return (
    <div className="cols">
      <div className="grid grid-cols-1 gap-4">
        <ListPage
          isEmbedded
          name="usage"
          title="Usage"
          noun={['grant', 'grants']}
          state={state}
          list={list}
          columns={buildColumns(unit)}
          idOf={({ id }) => id}
          nameOf={({ org }) => org.name}
          linkTo={({ org }) => ({ to: '/admin/orgs/$orgId', params: { orgId: org.id } })}
          searchPlaceholder="Organisation"
          emptyHint="What organisations use of active grants appears here."
        />
        <UsageHours entitlement={entitlement} />
      </div>
      <ReportCard entitlement={entitlement} orgId={list.data?.items[0]?.org.id ?? 'org-id'} />
    </div>
  )
}

const buildColumns = (unit: string | null): Column<Grant>[] => [
  {
    id: 'org',
    header: 'Organisation',
    className: 'max-sm:basis-full!',
    cell: ({ org }) => <RowName picture={<ObjectIcon kind="org" />} name={org.name} />,
  },
  {
    id: 'since',
    header: 'Since',
    width: 'w-[124px]',
    minBreakpoint: 'lg',
    cell: ({ startsAt }) => <span className="text-ink2">{formatDate(startsAt)}</span>,
  },
  {
    id: 'used',
    header: 'Used',
    width: 'w-[32%]',
    isOnCard: true,
    className: 'max-sm:min-w-32 max-sm:flex-1',
    cell: ({ org, used, quantity }) => (
      <Meter label={`${org.name}, ${unit ?? 'quantity'} used`} used={used ?? 0} total={quantity} />
    ),
  },
  {
    id: 'quantity',
    header: 'Quantity',
    ...numberColumn('w-[120px]'),
    isOnCard: true,
    cell: ({ quantity }) => (
      <>
        {quantity !== null && <span className="sm:hidden">of </span>}
        {formatQuantity(quantity, unit)}
      </>
    ),
  },
]

/** How applications report usage. */
function ReportCard({ entitlement: { key }, orgId }: { entitlement: Entitlement; orgId: string }) {
  const command = [
    `curl ${location.origin}/passport/entitlements/${key}/usage`,
    `  -H "Authorization: Bearer $TOKEN"`,
    `  -H "Idempotency-Key: $(uuidgen)"`,
    `  -H "Content-Type: application/json"`,
    `  -d '${JSON.stringify({ orgId, quantity: 1 })}'`,
  ].join(' \\\n')
  return (
    <Card title="Report usage">
      <div className="grid grid-cols-1 gap-3 px-4 pb-4 text-ink2 sm:px-[18px]">
        <p>
          Applications with the scope <code className="font-mono text-[13px]">entitlements.write</code> report it, in
          the hour in which it is used.
        </p>
        <div className="relative rounded-ctl bg-well">
          <section
            aria-label="Command"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
            tabIndex={0}
            className="overflow-x-auto rounded-ctl py-2.5 pl-3"
          >
            <pre className="w-fit pr-10 font-mono text-[12.5px] leading-relaxed text-ink">{command}</pre>
          </section>
          <span className="absolute top-1 right-1 rounded-ctl bg-well">
            <CopyButton text={command} label="Copy command" />
          </span>
        </div>
      </div>
    </Card>
  )
}
