import {
  deleteIdentityApi,
  getIdentityApi,
  type IdentityApi,
  restoreIdentityApi,
} from '@passport/contract/identity-apis'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Ban, CircleCheck, Lock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ApiForm } from './ApiForm.tsx'
import { ApiStatus } from './ApiStatus.tsx'
import { formatLifetime, saveApi } from './api-form.ts'

const list = '/admin/identity/apis'
const back = { to: list, label: 'Identity APIs' } as const

interface ApiFrameProps {
  /** A card above the details. */
  lead?: (api: IdentityApi) => ReactNode
  children: (api: IdentityApi) => ReactNode
}

/** The page of an API around one of its tabs. */
export function ApiFrame({ lead, children }: ApiFrameProps) {
  const { apiId = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const api = useQuery(query(getIdentityApi, { params: { apiId } }))
  return (
    <RecordQuery query={api} kind="API" back={back}>
      {(api) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="identity-api" size={60} />}
          name={api.displayName}
          status={
            <>
              <ApiStatus api={api} />
              {api.builtIn && (
                <Badge>
                  <Lock size={12} aria-hidden="true" />
                  Built-in
                </Badge>
              )}
            </>
          }
          facts={[api.description]}
          id={api.id}
          actions={<Actions api={api} />}
          tabs={[
            { to: '/admin/identity/apis/$apiId', params: { apiId }, label: 'Setup' },
            { to: '/admin/identity/apis/$apiId/activity', params: { apiId }, label: 'Activity' },
          ]}
          details={[
            ['Token lifetime', formatLifetime(api.tokenLifetimeSec)],
            ['Claims', api.claims.length > 0 ? api.claims.join(', ') : '–'],
            ['Created', <RelativeTime key="created" at={api.createdAt} />],
            ['Updated', <RelativeTime key="updated" at={api.updatedAt} />],
          ]}
          lead={lead?.(api)}
        >
          {isEditing && <ApiForm key={api.id} api={api} onClose={close} />}
          {children(api)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function Actions({ api }: { api: IdentityApi }) {
  const { id, displayName, enabled, builtIn } = api
  const params = { apiId: id }
  const [isDisabling, setDisabling] = useState(false)
  const copyConfig = useCopyAsConfig({ api })
  const { deleteItem, dialog } = useDeleteRecord()
  const toggle = useMutation({
    mutationFn: () => saveApi(api, { enabled: !enabled }),
    onSuccess: () => reportSuccess(enabled ? 'API disabled' : 'API enabled'),
    onError: (error) => reportFailure(enabled ? 'disable the API' : 'enable the API', error),
    onSettled: () => setDisabling(false),
  })
  return (
    <>
      <EditButton />
      <PageMenu
        isOfRecord
        copyConfig={copyConfig}
        items={
          builtIn
            ? []
            : [
                {
                  label: enabled ? 'Disable' : 'Enable',
                  icon: enabled ? <Ban size={16} /> : <CircleCheck size={16} />,
                  onSelect: () => (enabled ? setDisabling(true) : toggle.mutate()),
                },
                deleteItem({
                  kind: 'API',
                  name: displayName,
                  consequence: 'Applications get no more tokens for it. Issued tokens stay valid until they expire.',
                  list,
                  affectsRoles: false,
                  remove: () => call(deleteIdentityApi, { params }),
                  restore: () => call(restoreIdentityApi, { params }),
                }),
              ]
        }
      />
      {dialog}
      <Confirm
        isOpen={isDisabling}
        title={`Disable ${displayName}?`}
        action="Disable API"
        isBusy={toggle.isPending}
        onConfirm={() => toggle.mutate()}
        onClose={() => setDisabling(false)}
      >
        Applications get no new tokens for it. Issued tokens stay valid until they expire, for at most{' '}
        {formatLifetime(api.tokenLifetimeSec)}.
      </Confirm>
    </>
  )
}
