import { type ApiScope, type IdentityApi, maxApiScopes } from '@passport/contract/identity-apis'
import { useMutation } from '@tanstack/react-query'
import { FileDown, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { saveApi } from './api-form.ts'
import { ImportScopesDialog } from './ImportScopesDialog.tsx'
import { ScopeDialog } from './ScopeDialog.tsx'

/** The scopes that applications request for an API. The first is the name of the API. */
export function ScopesCard({ api }: { api: IdentityApi }) {
  const [edited, setEdited] = useState<ApiScope | 'new'>()
  const [deleted, setDeleted] = useState<ApiScope>()
  const [isImporting, setImporting] = useState(false)
  const remove = useMutation({
    mutationFn: ({ name }: ApiScope) => saveApi(api, { scopes: api.scopes.filter((scope) => scope.name !== name) }),
    onSuccess: () => reportSuccess('Scope deleted'),
    onError: (error) => reportFailure('delete the scope', error),
    onSettled: () => setDeleted(undefined),
  })
  return (
    <Card
      title="Scopes"
      action={
        !api.builtIn && (
          <div className="flex flex-wrap gap-2">
            <Button isSmall onClick={() => setImporting(true)}>
              <FileDown size={15} aria-hidden="true" />
              Import from OpenAPI
            </Button>
            {api.scopes.length < maxApiScopes && (
              <Button isSmall onClick={() => setEdited('new')}>
                <Plus size={15} aria-hidden="true" />
                Add scope
              </Button>
            )}
          </div>
        )
      }
    >
      <ul className="pb-1">
        <li className={rowClass}>
          <ScopeText name={api.name} description={api.description || `Use ${api.displayName} as you`} />
          <span className="text-[13px] text-ink3">Whole API</span>
        </li>
        {api.scopes.map((scope) => (
          <li key={scope.name} className={rowClass}>
            <ScopeText {...scope} />
            <span className="-my-1 flex">
              <Button variant="ghost" isSmall aria-label={`Edit ${scope.name}`} onClick={() => setEdited(scope)}>
                <Pencil size={15} aria-hidden="true" />
              </Button>
              <Button variant="ghost" isSmall aria-label={`Delete ${scope.name}`} onClick={() => setDeleted(scope)}>
                <Trash2 size={15} aria-hidden="true" />
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {edited && (
        <ScopeDialog api={api} scope={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      <ImportScopesDialog api={api} isOpen={isImporting} onClose={() => setImporting(false)} />
      <Confirm
        isOpen={deleted !== undefined}
        title={`Delete the scope ${deleted?.name ?? ''}?`}
        action="Delete scope"
        isBusy={remove.isPending}
        onConfirm={() => deleted && remove.mutate(deleted)}
        onClose={() => setDeleted(undefined)}
      >
        New tokens don't have it. A scope that an application has, or that users consented to, stays.
      </Confirm>
    </Card>
  )
}

const rowClass = 'flex min-h-11 items-center gap-4 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]'

const ScopeText = ({ name, description, emphasize = false }: Omit<ApiScope, 'emphasize'> & { emphasize?: boolean }) => (
  <div className="min-w-0 flex-1">
    <code className="mr-2 font-mono text-[13px] [overflow-wrap:anywhere]">{name}</code>
    {emphasize && <Badge>Highlighted</Badge>}
    <p className="text-[13px] text-ink2 [overflow-wrap:anywhere]">{description || 'No description'}</p>
  </div>
)
