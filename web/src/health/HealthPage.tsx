import { Pause, Play, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { PageMenu } from '../directory/PageMenu.tsx'
import { Button } from '../ui/Button.tsx'
import { Note } from '../ui/Note.tsx'
import { useNow } from '../ui/use-now.ts'
import { Activity } from './Activity.tsx'
import { Dependencies } from './Dependencies.tsx'
import { Instances } from './Instances.tsx'
import { Outage, Summary } from './Summary.tsx'
import { useHealth } from './use-health.ts'

/** Whether everything works that the installation depends on, and what its servers do. */
export function HealthPage() {
  const [isPaused, setPaused] = useState(false)
  const { data, outage, refetch } = useHealth(isPaused)
  const handlePause = () => {
    if (isPaused) void refetch()
    setPaused(!isPaused)
  }
  return (
    <>
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h1>Health</h1>
          <p className="mt-1 min-h-6 text-ink2">
            {data && <CheckedAt at={data.checkedAt} isPaused={isPaused} isOutdated={outage !== undefined} />}
          </p>
        </div>
        <div className="flex gap-2">
          <Button onClick={handlePause}>
            {isPaused ? <Play size={16} /> : <Pause size={16} />} {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <PageMenu />
        </div>
      </header>
      {outage ? <Outage {...outage} health={data} /> : data ? <Summary health={data} /> : <Placeholder />}
      {data?.warnings.map((warning) => (
        <div key={warning} className="mt-4">
          <Note icon={<TriangleAlert size={18} className="text-warn" />} title="Should be changed">
            {warning}
          </Note>
        </div>
      ))}
      {data && (
        <div className={`mt-4 grid grid-cols-1 gap-4 ${outage ? 'grayscale' : ''}`}>
          <Dependencies checks={data.checks} isPaused={isPaused} />
          <Activity isPaused={isPaused} beside={<Instances instances={data.instances} />} />
        </div>
      )}
    </>
  )
}

/** Counts the seconds, alone: the rest of the page changes with an answer only. */
function CheckedAt({ at, isPaused, isOutdated }: { at: string; isPaused: boolean; isOutdated: boolean }) {
  const seconds = Math.max(0, Math.round((useNow() - Date.parse(at)) / 1000))
  const age = seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`
  if (isPaused) return <>Checked {age}, paused</>
  return (
    <>
      {isOutdated ? 'Last answer' : 'Checked'} {age}, every 15 s
    </>
  )
}

function Placeholder() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <span className="sr-only">Running the checks</span>
      <div className="card grid h-23 content-center gap-2.5 px-5">
        <div className="skeleton h-6 w-56 max-w-full" />
        <div className="skeleton h-4 w-80 max-w-full" />
      </div>
      <div className="card grid h-150 content-start gap-5 px-[18px] py-5">
        {[0, 1, 2, 3, 4, 5, 6, 7].map((row) => (
          <div key={row} className="skeleton h-8" />
        ))}
      </div>
    </div>
  )
}
