# SPDX-License-Identifier: MIT
"""The bill of materials of the program, as CycloneDX 1.5, on standard output.

python3 sbom.py REPOSITORY PROGRAM VERSION

Two sources, and nothing typed by hand that they say: the Swift packages whose modules the linker was given, with the
versions that were resolved, and the shared libraries that the loader finds, with their Debian packages.
"""

import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import uuid

LICENCES = {"quartz-agent": "MIT"}
# The packages that we resolve, all of one licence; another one without an entry here ends the build.
APACHE = {"swift-argument-parser", "swift-log", "swift-collections", "swift-nio", "swift-atomics", "swift-system"}


def run(*arguments):
    # What this process was given to load before everything else is no library of the program.
    own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run(arguments, check=True, capture_output=True, text=True, env=own).stdout


def linked_packages(repository):
    """Resolved packages of which at least one module was given to the linker."""
    build = repository / ".build" / "release"
    listing = next(build.glob("quartz-agent.product/Objects.LinkFileList"), None)
    if listing is None:
        raise SystemExit(f"error: no {build}/quartz-agent.product/Objects.LinkFileList; build release first")
    modules = set(re.findall(r"/([A-Za-z0-9_]+)\.build/", listing.read_text()))
    pins = json.loads((repository / "Package.resolved").read_text())["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        sources = repository / ".build" / "checkouts" / pin["location"].rstrip("/").split("/")[-1].removesuffix(".git") / "Sources"
        if modules & {folder.name for folder in sources.iterdir() if folder.is_dir()}:
            yield pin["identity"], pin["state"]["version"], pin["state"]["revision"]


def swift_component(identity, version, revision):
    if identity not in APACHE:
        raise SystemExit(f"error: no licence is known here for the package {identity}; add it to scripts/lib/sbom.py")
    return {
        "type": "library",
        "bom-ref": f"pkg:swift/github.com/apple/{identity}@{version}",
        "name": identity,
        "version": version,
        "hashes": [{"alg": "SHA-1", "content": revision}],
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "purl": f"pkg:swift/github.com/apple/{identity}@{version}",
        "scope": "required",
    }


def runtime_component():
    version = re.search(r"Swift version (\S+)", run("swiftc", "--version")).group(1)
    return {
        "type": "framework",
        "bom-ref": f"pkg:generic/swift-runtime@{version}",
        "name": "swift-runtime",
        "version": version,
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
        "purl": f"pkg:generic/swift-runtime@{version}",
        "scope": "required",
    }


# Opened by name when it is needed, and only then: no linker and no loader knows of it.
OPENED = {"libsqlite3.so.0": f"/usr/lib/{platform.machine()}-linux-gnu/libsqlite3.so.0"}


def debian_package(path):
    """The package that a library is of, as dpkg names it."""
    real = str(pathlib.Path(path).resolve())
    for candidate in (real, path, real.removeprefix("/usr"), path.removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    raise SystemExit(f"error: no Debian package has {path}, which the program uses")


def debian_component(owner, libraries, scope, how):
    package = owner.split(":")[0]
    version = run("dpkg-query", "-W", "-f=${Version}", owner)
    architecture = run("dpkg-query", "-W", "-f=${Architecture}", owner)
    purl = f"pkg:deb/debian/{package}@{version}?arch={architecture}&distro=bookworm"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package,
        "version": version,
        "purl": purl,
        "scope": scope,
        "properties": [{"name": how, "value": library} for library in sorted(libraries)],
    }


def shared_libraries(program):
    """Debian packages of what the loader loads and of what the program may open, each with its libraries."""
    owners = {}
    for path in re.findall(r"=> (/\S+)|^\s*(/\S+) \(", run("ldd", str(program)), re.MULTILINE):
        path = path[0] or path[1]
        owners.setdefault(debian_package(path), []).append(pathlib.Path(path).name)
    for owner, libraries in sorted(owners.items()):
        yield debian_component(owner, libraries, "required", "quartz:library")
    for library, path in OPENED.items():
        yield debian_component(debian_package(path), [library], "optional", "quartz:opened")


def main():
    repository, program, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    components = [swift_component(*found) for found in linked_packages(repository)]
    components += [runtime_component(), *shared_libraries(program)]
    root = f"pkg:generic/quartz-agent@{version}"
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "quartz-agent",
                "version": version,
                "licenses": [{"license": {"id": LICENCES["quartz-agent"]}}],
                "purl": root,
            }
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": [component["bom-ref"] for component in components]}],
    }
    # The number of a document is of its content: the same content has the same one.
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"
    json.dump(document, sys.stdout, indent=2, sort_keys=True)
    print()


main()
