# SPDX-License-Identifier: MIT
"""The edge functions as they are deployed, under Deno: who may start what, and what becomes of a message and of a pressed button."""
import json
import subprocess
import threading
import urllib.error
import urllib.request
import uuid

from agent import running, until
from scenarios import expect


def ask(project, name, body, token=None):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"http://127.0.0.1:{project.port}/functions/v1/{name}", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or "null")


def person(of, role):
    found = str(uuid.uuid4())
    of.run(f"insert into auth.users values ('{found}')")
    if role:
        of.run(f"insert into user_roles (user_id, role) values ('{found}', '{role}')")
    return f"user:{found}"


def messages_go_out(stage):
    stage.run(f"""update notification_channels set configuration = '{{"webhook_url": "https://s.example"}}';
        update resources set name = '<b>Shop</b>';
        insert into notification_channels (name, channel_type, configuration) values ('post', 'email', '{{"email": "a@b.example"}}'),
          ('hook', 'webhook', '{{"url": "https://hook.example/"}}')""")
    stage.at(60)
    stage.run("update alert_notifications set not_before = now() - interval '1 s'")
    with running(stage.folder, stage.key) as project:
        for token in (None, project.anonymous, person(stage, "admin"), project.service[:-1]):
            expect(ask(project, "dispatch-notifications", {}, token), (403, None), str(token))
        for role, status in ((None, 403), ("viewer", 403), ("editor", 403), ("admin", 200)):
            expect(ask(project, "send-notifications", {"channelType": "slack", "by": role}, person(stage, role))[0], status, str(role))
        expect(ask(project, "send-notifications", {"channelType": "slack"})[0], 403)
        expect([body["by"] for body in project.sent], ["admin"])
        project.sent.clear()
        expect(ask(project, "dispatch-notifications", {}, project.service), (200, {"sent": 2, "failed": 1}))
        email, slack = sorted(project.sent, key=lambda body: body["channelType"])
        expect((slack["channelConfig"]["webhookUrl"], slack["alertData"]["title"]), ("https://s.example", "Alert: <b>Shop</b>"))
        expect((email["channelConfig"]["email"], email["alertData"]["title"]), ("a@b.example", "Alert: &#60;b&#62;Shop&#60;/b&#62;"))
        # The loopback is all that Deno lets a function reach here.
        expect(stage.one("select string_agg(concat_ws(' ', c.channel_type, n.state, n.error), ', ' order by c.name) "
                         "from alert_notifications n join notification_channels c on c.id = n.channel_id"),
               "webhook waiting no connection, slack sent, email sent")
        expect(ask(project, "dispatch-notifications", {}, project.service), (200, {"sent": 0, "failed": 0}))


def the_button(stage):
    """Answered as the apps read it, with the token of whom presses it."""
    with running(stage.folder, stage.key) as project:
        def press(body, token):
            return ask(project, "execute-checks", body, token)

        viewer, stranger = person(stage, "viewer"), person(stage, None)
        expect(press({"check_id": stage.check}, stranger)[0], 403)
        expect(press({"check_id": stage.check}, project.anonymous)[0], 403)
        expect(press({"check_id": "all"}, viewer), (400, {"error": "check_id must be a uuid"}))
        expect(press({"scheduled": True}, None), (200, {"message": "Agents run the checks", "total_checks": 0, "results": []}))
        status, body = press({"check_id": stage.check}, viewer)
        expect((status, body["error"]), (504, "No agent that may run this was heard of for 90 s; see the list of agents"))
        stage.post(can=["asks"])
        answers = []
        presser = threading.Thread(target=lambda: answers.append(press({"check_id": stage.check}, viewer)))
        presser.start()
        until(lambda: stage.one("select count(*) from check_asks where state = 'open'") == "1", 20, "the ask of the button")
        ask_id = stage.one("select id from check_asks")
        stage.post(stage.row(0, True, trigger="manual", ask_id=ask_id), can=["asks"])
        presser.join()
        status, body = answers[0]
        expect((status, {name: body[name] for name in ("total_checks", "successful", "failures", "warnings", "unanswered")}),
               (200, {"total_checks": 1, "successful": 1, "failures": 0, "warnings": 0, "unanswered": 0}))
        expect(stage.one("select count(*) from check_asks where state = 'done'"), "1")


def nothing_else_is_theirs(stage):
    """What a function may not do, it cannot: read a file, ask another host, start a program, see the rest of the environment."""
    attempts = {"read": "Deno.readTextFileSync('/etc/hostname')", "write": "Deno.writeTextFileSync('/tmp/x', '')", "run": "new Deno.Command('true').outputSync()",
                "env": "Deno.env.get('HOME')", "net": "await fetch('http://10.0.0.1/')"}
    with running(stage.folder, stage.key) as project:
        flags = [word for word in project.function("public-api").process.args if word.startswith("--") and not word.startswith("--config")]
        for name, code in attempts.items():
            path = f"{stage.folder}/attempt.ts"
            with open(path, "w") as file:
                file.write(f"try {{ {code}; console.log('done') }} catch (problem) {{ console.log(problem.name) }}")
            ran = subprocess.run([project.deno, "run", *flags, path], capture_output=True, text=True, check=False)
            expect(ran.stdout.strip(), "NotCapable", f"{name}: {ran.stderr[:200]}")
