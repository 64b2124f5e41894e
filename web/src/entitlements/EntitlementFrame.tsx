import {
  deleteEntitlement,
  type Entitlement,
  getEntitlement,
  restoreEntitlement,
} from '@passport/contract/entitlements'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Ban, CircleCheck, Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import type { LinkTo } from '../directory/list-page.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage, type RecordTab } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { AddGrant } from './AddGrant.tsx'
import { EntitlementStatus } from './GrantCells.tsx'
import { saveEntitlement } from './save-entitlement.ts'
import { formatKind } from './words.ts'

const list = '/admin/entitlements'
const back = { to: list, label: 'Entitlements' } as const

/** The page of a definition around one of its tabs. */
export function EntitlementFrame({ children }: { children: (entitlement: Entitlement) => ReactNode }) {
  const { entitlementId = '' } = useParams({ strict: false })
  const entitlement = useQuery(query(getEntitlement, { params: { entitlementId }, query: {} }))
  return (
    <RecordQuery query={entitlement} kind="entitlement" back={back}>
      {(entitlement) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="entitlement" size={60} />}
          name={entitlement.name}
          status={<EntitlementStatus {...entitlement} />}
          facts={[
            <code key="key" className="font-mono text-[13px]">
              {entitlement.key}
            </code>,
            formatKind(entitlement),
          ]}
          actions={
            <>
              <Actions entitlement={entitlement} />
              <AddGrant entitlement={entitlement} />
            </>
          }
          tabs={buildTabs(entitlement)}
        >
          {children(entitlement)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function buildTabs({ id, kind }: Entitlement): RecordTab[] {
  const tab = (path: string, label: string): RecordTab => ({
    to: `${list}/$entitlementId/${path}` as LinkTo['to'],
    params: { entitlementId: id },
    label,
  })
  return [
    tab('edit', 'Grants'),
    ...(kind === 'quantity' ? [tab('usage', 'Usage')] : []),
    tab('ledger', 'Ledger'),
    tab('settings', 'Settings'),
    tab('activity', 'Activity'),
  ]
}

function Actions({ entitlement }: { entitlement: Entitlement }) {
  const { id, name, enabled, orgCount } = entitlement
  const params = { entitlementId: id }
  const navigate = useNavigate()
  const [isDisabling, setDisabling] = useState(false)
  const copyConfig = useCopyAsConfig({ entitlement })
  const { deleteItem, dialog } = useDeleteRecord()
  const toggle = useMutation({
    mutationFn: () => saveEntitlement(entitlement, { enabled: !enabled }),
    onSuccess: () => reportSuccess(enabled ? 'Entitlement disabled' : 'Entitlement enabled'),
    onError: (error) => reportFailure(enabled ? 'disable the entitlement' : 'enable the entitlement', error),
    onSettled: () => setDisabling(false),
  })
  const openForm = () =>
    void navigate({ to: '/admin/entitlements/$entitlementId/settings', params, search: { edit: 'true' } as never })
  const losers = orgCount === 1 ? '1 organisation loses' : `${orgCount.toLocaleString('en')} organisations lose`
  return (
    <>
      <PageMenu
        isOfRecord
        copyConfig={copyConfig}
        items={[
          { label: 'Edit', icon: <Pencil size={16} />, onSelect: openForm },
          {
            label: enabled ? 'Disable' : 'Enable',
            icon: enabled ? <Ban size={16} /> : <CircleCheck size={16} />,
            onSelect: () => (enabled && orgCount > 0 ? setDisabling(true) : toggle.mutate()),
          },
          deleteItem({
            kind: 'entitlement',
            name,
            consequence: orgCount > 0 ? `${losers} it. Its ledger stays.` : 'Its ledger stays.',
            list,
            affectsRoles: false,
            remove: () => call(deleteEntitlement, { params, query: {} }),
            restore: () => call(restoreEntitlement, { params }),
          }),
        ]}
      />
      {dialog}
      <Confirm
        isOpen={isDisabling}
        title={`Disable ${name}?`}
        action="Disable entitlement"
        isBusy={toggle.isPending}
        onConfirm={() => toggle.mutate()}
        onClose={() => setDisabling(false)}
      >
        {losers} it until it is enabled again. Grants stay as they are.
      </Confirm>
    </>
  )
}
