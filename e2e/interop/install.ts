import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const modules = '/usr/lib/apache2/modules'

/** A command that starts an application, and the directory to start it in. */
export interface Command {
  file: string
  args: string[]
  directory: string
  env?: Record<string, string>
}

/** Copies an application out of the source tree and installs its libraries, at the versions that it names. */
export function install(name: string): Command {
  const source = join(import.meta.dirname, name)
  const directory = join(import.meta.dirname, '../../node_modules/.cache/interop', name)
  mkdirSync(directory, { recursive: true })
  cpSync(source, directory, { recursive: true })
  const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: directory, stdio: 'inherit' })
  /** Installs once, and again when the list of libraries changes. */
  const installOnce = (list: string, work: () => void) => {
    const stamp = join(directory, '.installed')
    const wanted = readFileSync(join(source, list), 'utf8')
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
    work()
    writeFileSync(stamp, wanted)
  }

  if (existsSync(join(source, 'package.json'))) {
    installOnce('package.json', () => run('npm', 'install', '--no-package-lock', '--no-audit', '--no-fund'))
    return { file: process.execPath, args: ['app.mjs'], directory }
  }
  if (existsSync(join(source, 'requirements.txt'))) {
    const python = join(directory, 'python')
    installOnce('requirements.txt', () => {
      run('python3', '-m', 'venv', python)
      run(join(python, 'bin/pip'), 'install', '--quiet', '-r', 'requirements.txt')
    })
    return { file: join(python, 'bin/python'), args: ['-u', 'app.py'], directory }
  }
  if (existsSync(join(source, 'go.mod'))) {
    run('go', 'build', '-o', 'app', '.')
    return { file: join(directory, 'app'), args: [], directory }
  }
  if (!existsSync(join(modules, 'mod_auth_openidc.so'))) {
    run('apt-get', 'update', '-qq')
    run('apt-get', 'install', '-y', '-qq', 'apache2', 'libapache2-mod-auth-openidc')
  }
  return {
    file: 'apache2',
    args: ['-f', join(directory, 'apache.conf'), '-DFOREGROUND'],
    directory,
    env: { MODULES: modules },
  }
}
