import { exportPermissions, importPermissions } from '@passport/contract/permissions'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { DownloadLink } from '../app/DownloadLink.tsx'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { Differences } from './Differences.tsx'

type Preview = Awaited<ReturnType<typeof importFile>>
const importFile = (yaml: string, isDryRun: boolean) =>
  call(importPermissions, { query: isDryRun ? { dryRun: 'true' } : {}, body: yaml })

interface FileActionsProps {
  /** Whether the engine imports a file of any size in one transaction. */
  isAtomic: boolean
}

/** Exports and imports the schema, relationships and assertions as a SpiceDB validation file. */
export function FileActions({ isAtomic }: FileActionsProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [upload, setUpload] = useState<{ yaml: string; preview: Preview }>()

  async function run<T>(action: () => Promise<T>): Promise<T | undefined> {
    setBusy(true)
    setFailure(undefined)
    try {
      return await action()
    } catch (error) {
      setFailure(toFailure(error))
      return undefined
    } finally {
      setBusy(false)
    }
  }
  const preview = (file: File) =>
    run(async () => {
      const yaml = await readTextFile(file)
      setUpload({ yaml, preview: await importFile(yaml, true) })
    })
  async function applyImport() {
    const result = upload && (await run(() => importFile(upload.yaml, false)))
    setUpload(undefined)
    if (!result) return
    await queryClient.invalidateQueries()
    reportSuccess(`Imported ${formatCount(result.relationships, ['relationship', 'relationships'])}`)
  }

  return (
    <>
      <DownloadLink href={exportPermissions.path}>
        <span>
          Export<span className="max-sm:sr-only"> YAML</span>
        </span>
      </DownloadLink>
      <Button isBusy={isBusy} onClick={() => input.current?.click()}>
        <Upload size={16} aria-hidden="true" />
        <span>
          Import<span className="max-sm:sr-only"> YAML</span>
        </span>
      </Button>
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,application/yaml"
        aria-label="Validation file to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void preview(file)
          target.value = ''
        }}
      />
      <Dialog isOpen={failure !== undefined} onClose={() => setFailure(undefined)} title="File not imported">
        {failure && (
          <div className="mt-3">
            <ErrorCard failure={failure} />
          </div>
        )}
        <div className="mt-5 flex justify-end">
          <Button onClick={() => setFailure(undefined)}>Close</Button>
        </div>
      </Dialog>
      <Dialog
        isOpen={upload !== undefined}
        onClose={() => setUpload(undefined)}
        title="Import this file?"
        className="w-[720px]"
      >
        {upload && (
          <>
            <p className="mt-1.5 text-ink2">
              {formatCount(upload.preview.relationships, ['relationship', 'relationships'])} and{' '}
              {formatCount(upload.preview.assertions, ['assertion', 'assertions'])}. Existing relationships are kept.
            </p>
            <div className="mt-4 -mx-5 max-h-[50vh] overflow-y-auto">
              <Differences differences={upload.preview.differences} />
            </div>
            {!(isAtomic && upload.preview.isAtomic) && (
              <p className="mt-4 text-warn">
                This engine imports in batches. If one fails, the batches before it stay imported.
              </p>
            )}
            <div className="mt-5 flex flex-wrap justify-end gap-2">
              <Button onClick={() => setUpload(undefined)}>Cancel</Button>
              <Button variant="primary" isBusy={isBusy} onClick={() => void applyImport()}>
                Import
              </Button>
            </div>
          </>
        )}
      </Dialog>
    </>
  )
}
