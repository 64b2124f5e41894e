import { getIdentityApi, type IdentityApi, importApiScopes, type ScopeImport } from '@passport/contract/identity-apis'
import { useMutation } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { TextArea } from '../ui/TextArea.tsx'

interface ImportScopesDialogProps {
  api: IdentityApi
  isOpen: boolean
  onClose: () => void
}

/** Imports the scopes of an OpenAPI document, after showing what changes. */
export const ImportScopesDialog = ({ api, isOpen, onClose }: ImportScopesDialogProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Import scopes from OpenAPI" className="mt-[8dvh] w-[560px]">
    <ImportForm api={api} onClose={onClose} />
  </Dialog>
)

const scopes: [string, string] = ['scope', 'scopes']

function ImportForm({ api, onClose }: Omit<ImportScopesDialogProps, 'isOpen'>) {
  const [document, setDocument] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const send = (dryRun: boolean) =>
    call(importApiScopes, { params: { apiId: api.id }, body: { document, dryRun } }, { ifMatch: `"${api.version}"` })
  const check = useMutation({ mutationFn: () => send(true) })
  const apply = useMutation({
    mutationFn: () => send(false),
    onSuccess: ({ added, changed }) => {
      void queryClient.invalidateQueries({ queryKey: [getIdentityApi.path] })
      reportSuccess(`${formatCount(added.length + changed.length, scopes)} imported`)
      onClose()
    },
  })
  const edit = (text: string) => {
    setDocument(text)
    open.reset()
    check.reset()
    apply.reset()
  }
  const open = useMutation({ mutationFn: readTextFile, onSuccess: edit })
  const result = check.data
  const changes = result ? result.added.length + result.changed.length : 0
  const error = open.error ?? apply.error ?? check.error
  return (
    <form
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (result) apply.mutate()
        else check.mutate()
      }}
    >
      <TextArea
        label="Document"
        rows={8}
        spellCheck={false}
        className="font-mono text-[12.5px]"
        hint="JSON or YAML, pasted or from a file. Scopes that it lacks are kept."
        value={document}
        onChange={({ target }) => edit(target.value)}
      />
      {result && <Result result={result} />}
      {error && <ErrorCard failure={toFailure(error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <span className="mr-auto">
          <Button onClick={() => input.current?.click()}>
            <Upload size={15} aria-hidden="true" />
            Choose file
          </Button>
          <input
            ref={input}
            type="file"
            accept=".json,.yaml,.yml"
            aria-label="OpenAPI document to import"
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) open.mutate(file)
              target.value = ''
            }}
          />
        </span>
        <Button onClick={onClose}>Cancel</Button>
        {result ? (
          <Button type="submit" variant="primary" disabled={changes === 0} isBusy={apply.isPending}>
            {changes === 0 ? 'Nothing to import' : `Import ${formatCount(changes, scopes)}`}
          </Button>
        ) : (
          <Button type="submit" variant="primary" disabled={document.trim() === ''} isBusy={check.isPending}>
            Show changes
          </Button>
        )}
      </div>
    </form>
  )
}

function Result({ result: { added, changed, unchanged, rejected } }: { result: ScopeImport }) {
  const groups = [
    ['Added', added.map(({ name, description }) => [name, description])],
    ['New description', changed.map(({ name, to }) => [name, to])],
    ['Rejected', rejected.map(({ name, reason }) => [name, reason])],
  ] as const
  return (
    <section role="status" aria-label="Changes" className="max-h-64 overflow-y-auto rounded-ctl border border-line">
      {groups
        .filter(([, items]) => items.length > 0)
        .map(([title, items]) => (
          <div key={title} className="border-t border-hair px-3.5 py-2.5 first:border-0">
            <h3 className="text-[13px] font-[560]">{title}</h3>
            <ul>
              {items.map(([name, text]) => (
                <li key={name} className="mt-1 text-[13px] [overflow-wrap:anywhere]">
                  <code className="font-mono">{name}</code> <span className="text-ink2">{text}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      {unchanged.length > 0 && (
        <p className="border-t border-hair px-3.5 py-2.5 text-[13px] text-ink2 first:border-0">
          {formatCount(unchanged.length, scopes)} unchanged
        </p>
      )}
      {added.length + changed.length + unchanged.length + rejected.length === 0 && (
        <p className="px-3.5 py-2.5 text-[13px] text-ink2">The document has no OAuth scopes.</p>
      )}
    </section>
  )
}
