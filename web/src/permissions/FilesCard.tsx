import { exportPermissions, importPermissions } from '@passport/contract/permissions'
import { Download, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { toast } from '../ui/toast.ts'
import { Differences } from './Differences.tsx'

type Preview = Awaited<ReturnType<typeof take>>
const take = (yaml: string, isDryRun: boolean) =>
  call(importPermissions, { query: isDryRun ? { dryRun: 'true' } : {}, body: yaml })

const number = new Intl.NumberFormat()
const counted = (count: number, one: string) => `${number.format(count)} ${one}${count === 1 ? '' : 's'}`

/** All of it as the validation file of SpiceDB, out and in. */
export function FilesCard({ isAtomic }: { isAtomic: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [read, setRead] = useState<{ yaml: string; preview: Preview }>()

  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    setBusy(true)
    setFailure(undefined)
    try {
      return await work()
    } catch (error) {
      setFailure(failureOf(error))
      return undefined
    } finally {
      setBusy(false)
    }
  }
  const look = (file: File) =>
    attempt(async () => {
      const yaml = await file.text()
      setRead({ yaml, preview: await take(yaml, true) })
    })
  async function write() {
    const done = read && (await attempt(() => take(read.yaml, false)))
    setRead(undefined)
    if (!done) return
    await queryClient.invalidateQueries()
    void toast({ type: 'success', content: `Imported ${counted(done.relationships, 'relationship')}` })
  }

  return (
    <Card
      title="Import and export"
      about="Schema, relationships and assertions as one validation file, which SpiceDB’s tools read too."
    >
      <div className="flex flex-wrap gap-2 px-5 pb-5">
        <a className={buttonClass()} href={exportPermissions.path} download>
          <Download size={16} aria-hidden="true" />
          Export YAML
        </a>
        <Button isBusy={isBusy} onClick={() => input.current?.click()}>
          <Upload size={16} aria-hidden="true" />
          Import YAML
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
            if (file) void look(file)
            target.value = ''
          }}
        />
      </div>
      {failure && (
        <div className="px-5 pb-5">
          <ErrorCard failure={failure} />
        </div>
      )}
      <Dialog
        isOpen={read !== undefined}
        onClose={() => setRead(undefined)}
        title="What this file brings"
        className="w-[720px]"
      >
        {read && (
          <>
            <p className="mt-1.5 text-ink2">
              {counted(read.preview.relationships, 'relationship')} and {counted(read.preview.assertions, 'assertion')}.
              Relationships that are there already stay; none is removed.
            </p>
            <div className="mt-4 -mx-5 max-h-[50vh] overflow-y-auto">
              <Differences differences={read.preview.differences} />
            </div>
            {!(isAtomic && read.preview.isAtomic) && (
              <p className="mt-4 text-warn">
                This engine takes it in piece by piece: if it fails on the way, what came before stays.
              </p>
            )}
            <div className="mt-5 flex flex-wrap justify-end gap-2">
              <Button onClick={() => setRead(undefined)}>Cancel</Button>
              <Button look="primary" isBusy={isBusy} onClick={() => void write()}>
                Import
              </Button>
            </div>
          </>
        )}
      </Dialog>
    </Card>
  )
}
