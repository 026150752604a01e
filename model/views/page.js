/* SPDX-License-Identifier: MIT */
/*
 * The page shows what it is given, marks and moves what has changed since it was last shown, and asks
 * for other rows. It derives nothing: states and drawings come from the program, or were put into the file.
 */
"use strict";

const PANES = [["qps", "Queue pairs"], ["ladder", "Timeline"], ["why", "Why"],
	["memory", "Memory"], ["cqs", "CQs"]];
const WAIT_MS = 120; /* between an answer and the next question */
const LOST_MS = 1500; /* the same when there was none */
const LINE = 16, LINES = 32, HEAD = 2; /* bytes of a line, lines of a region, and those always shown */

const state = {
	live: false,	/* a program answers */
	data: null,	/* all but the ends */
	ends: null,	/* the objects at the row that is shown */
	past: [],	/* those of all rows, where they are in the file; null: as before */
	bytes: null,	/* of each region: those that were last shown, and how */
	at: null,	/* the row that is chosen; null: the newest */
	big: null,	/* the pane that is alone */
	asks: false, failed: false, asked: 0,
};

function find(id) {
	return document.getElementById(id);
}

/* An element with text; text is never read as HTML. */
function make(tag, name, text) {
	const e = document.createElement(tag);

	if (name)
		e.className = name;
	if (text !== undefined)
		e.textContent = text;
	return e;
}

function drawing(text) {
	const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;

	return document.importNode(svg, true);
}

/* Replaces the contents of a pane, unless they are the same as before. */
function put(id, value, build) {
	const pane = find(id), text = JSON.stringify(value) || "";

	if (pane.dataset.is === text)
		return false;
	pane.dataset.is = text;
	pane.replaceChildren(...build());
	return true;
}

/* ------------------------------------------------------------------ movement -- */

function places() {
	const all = new Map();

	for (const e of document.querySelectorAll("[data-move]"))
		all.set(e.dataset.move, e.getBoundingClientRect());
	return all;
}

/* An element that is elsewhere now goes there visibly; a new one lights up. */
function move(before) {
	if (matchMedia("(prefers-reduced-motion: reduce)").matches)
		return;
	for (const e of document.querySelectorAll("[data-move]")) {
		const from = before.get(e.dataset.move), to = e.getBoundingClientRect();

		if (!from) {
			e.animate([{opacity: 0, transform: "scale(.7)"}, {opacity: 1, transform: "none"}], 250);
			continue;
		}
		if (Math.abs(from.left - to.left) + Math.abs(from.top - to.top) > 2)
			e.animate([{transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)`},
				{transform: "none"}], {duration: 450, easing: "ease-in-out"});
	}
}

/* ------------------------------------------------------------------- objects -- */

/* The ends whose objects are known, and those of which rows alone tell: the last row of each QP. */
function ends(known) {
	const i = chosen(), told = new Map();

	for (const {end, qp} of i < 0 ? rows() : rows().slice(0, i + 1))
		if (qp && !known.some(e => e.name === end))
			told.set(end, (told.get(end) || new Map()).set(qp.name, qp));
	return [...known, ...Array.from(told, ([name, qps]) => ({name, note: "its rows tell the states alone",
		qps: [...qps.values()], cqs: [], regions: []}))];
}

/* Marks the bytes that differ from those that were shown before: "new"; those of the time before: "changed".
 * A region that comes later than the page has held zeros. */
function markBytes(known) {
	const before = state.bytes, all = new Map();

	for (const end of known)
		for (const mr of end.regions.filter(mr => mr.bytes !== undefined)) {
			const key = [end.name, mr.name, mr.addr, mr.rkey, mr.len].join(), now = mr.bytes.padEnd(2 * mr.shown, "0").match(/../g) || [];
			const was = before && before.get(key) || {bytes: now.map(() => "00"), how: now.map(() => "")};
			const isNew = now.map((byte, i) => byte !== was.bytes[i]);

			mr.how = !isNew.includes(true) ? was.how
				: was.how.map((how, i) => isNew[i] && before ? "new" : isNew[i] || how ? "changed" : "");
			mr.bytes = now;
			all.set(key, mr);
		}
	state.bytes = all;
}

/* The name of an object and what is said of it, as far as it is known; its end where there are several. */
function heading(end, object, ...said) {
	const head = make("h3"), where = state.ends.length > 1 ? [end.name] : [];

	head.append(make("b", "", object.name), make("span", "dim", ` ${[...where, ...said.filter(text => text)].join(" · ")}`));
	return head;
}

/* The text of a pane without objects. */
function nothing(text) {
	return make("p", "note", state.ends.some(end => end.note) ? "Not known." : text);
}

function count(n, what) {
	return `${n} ${what}${n === 1 ? "" : "s"}`;
}

function request(r) {
	const e = make("span", "req");

	e.dataset.move = r.id;
	e.append(make("b", "", r.what), " ", make("span", "size", r.size), make("i", "", ` wr_id ${r.wr_id}`));
	e.title = `${r.what}, ${r.size}, wr_id ${r.wr_id}: posted`;
	return e;
}

function queue(title, q) {
	const e = make("div", "queue"), head = make("div", "label", title);

	head.append(make("span", "count", q.n + (q.room ? ` of ${q.room}` : "") + (q.begun ? `, ${q.begun} begun` : "")));
	e.append(head);
	const slots = make("div", "slots");

	slots.append(...q.requests.map(request));
	if (q.requests.length && q.requests.length < q.n)
		slots.append(make("span", "dim", `and ${q.n - q.requests.length} more`));
	e.append(slots);
	return e;
}

function qpCard(end, qp) {
	const card = make("article", "card" + (qp.bad ? " bad" : ""));

	card.append(heading(end, qp, `${qp.type} ${qp.state}`.trim(), qp.qpn && `qpn ${qp.qpn}`, qp.peer && `with ${qp.peer}`),
		drawing(qp.svg));
	if (qp.why)
		card.append(make("p", qp.bad ? "bad" : "dim", qp.why));
	const queues = make("div", "queues");

	for (const [title, q] of [["sends", qp.sends], ["receives", qp.recvs]])
		if (q)
			queues.append(queue(title, q));
	card.append(queues);
	return card;
}

function showQps() {
	put("qps-body", state.ends.map(e => [e.name, e.note, e.qps]), () => {
		const all = [];

		for (const end of state.ends) {
			all.push(...end.qps.map(qp => qpCard(end, qp)));
			if (end.note)
				all.push(make("p", "note", `${end.name}: ${end.note}`));
		}
		return all.length ? all : [nothing("No queue pair yet: qp create, or listen and connect.")];
	});
}

function completion(c) {
	const e = make("span", "wc" + (c.bad ? " bad" : ""));

	e.dataset.move = c.id;
	e.append(make("b", "", (c.bad ? "✗ " : "✓ ") + c.status), ` ${c.what}`, make("i", "", ` wr_id ${c.wr_id}`));
	return e;
}

function showCqs() {
	put("cqs-body", state.ends.map(e => [e.name, e.cqs]), () => {
		const all = [];

		for (const end of state.ends)
			for (const cq of end.cqs) {
				const card = make("article", "card cq" + (cq.bad ? " bad" : ""));
				const slots = make("div", "slots");

				slots.append(...cq.taken.map(completion));
				card.append(heading(end, cq, cq.due === undefined ? `${cq.filled} of ${cq.entries} wait`
					: `${cq.entries} entries · ${count(cq.due, "completion")} to come`,
				cq.armed && "armed", cq.bad && "OVERRUN"), slots);
				all.push(card);
			}
		return all.length ? all : [nothing("No completion queue yet.")];
	});
}

/* A line of memory: each byte as two digits, and as a character. */
function memoryLine(mr, from) {
	const row = make("div", "line"), text = make("span", "chars");

	row.append(make("span", "off", from.toString(16).padStart(4, "0")));
	for (let i = from; i < Math.min(from + LINE, mr.shown); i++) {
		const code = parseInt(mr.bytes[i], 16);

		row.append(make("span", "byte " + mr.how[i], mr.bytes[i]));
		text.append(make("span", mr.how[i], code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "."));
	}
	row.append(text);
	return row;
}

/* The first lines of a region, and those that were ever other than zeros. */
function dump(mr) {
	const all = make("div", "dump"), lines = [];

	for (let from = 0; from < mr.shown; from += LINE)
		if (from < HEAD * LINE || mr.how.slice(from, from + LINE).some(how => how))
			lines.push(from);
	all.append(...lines.slice(0, LINES).map(from => memoryLine(mr, from)));
	if (lines.length > LINES)
		all.append(make("p", "note", `${lines.length - LINES} more lines have changed`));
	return all;
}

function showMemory() {
	put("memory-body", state.ends.map(e => [e.name, e.regions]), () => {
		const all = [];

		for (const end of state.ends)
			for (const mr of end.regions) {
				const card = make("article", "card mr");

				card.append(heading(end, mr, `${mr.len} B at ${mr.addr}`, `rkey ${mr.rkey}`,
					mr.access.replaceAll(",", ", ")));
				if (mr.bytes)
					card.append(dump(mr));
				if (mr.note)
					card.append(make("p", "note", mr.note));
				all.push(card);
			}
		return all.length ? all : [nothing("No region yet: reg 4096")];
	});
}

/* ---------------------------------------------------------------- the ladder -- */

function rows() {
	return state.data.rows;
}

/* The index of the row that is chosen; -1: none, or it is not there any more. */
function chosen() {
	return state.at === null ? -1 : rows().findIndex(r => r.id === state.at);
}

function showLadder() {
	const pane = find("ladder-body"), table = find("ladder").classList.contains("as-table");
	const atEnd = pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 40;
	const is = put("ladder-body", [table, state.data.ladder, table && rows()], () =>
		table ? [rowTable()] : withLanes(drawing(state.data.ladder)));

	if (is && atEnd && state.at === null)
		pane.scrollTop = pane.scrollHeight;
	markRow();
}

/* The names of the lanes stay above the drawing while it is scrolled. */
function withLanes(svg) {
	const names = make("div", "lanes"), width = svg.getAttribute("viewBox").split(" ")[2];

	for (const lane of svg.querySelectorAll("text.h")) {
		const name = make("b", "", lane.textContent);

		name.style.left = `${100 * lane.getAttribute("x") / width}%`;
		names.append(name);
	}
	return [names, svg];
}

function rowTable() {
	const table = make("table"), body = make("tbody"), head = make("tr");

	for (const title of ["time", "end", "kind", "what", "headers"])
		head.append(make("th", "", title));
	rows().forEach((r, i) => {
		const tr = make("tr", r.bad ? "bad" : "");

		tr.dataset.row = i;
		for (const text of [r.time, r.end, r.kind, r.text, r.headers || ""])
			tr.append(make("td", "", text));
		body.append(tr);
	});
	table.append(head, body);
	return table;
}

function rowElement(i) {
	return find("ladder-body").querySelector(`[data-row="${i}"]`);
}

function markRow() {
	for (const e of find("ladder-body").querySelectorAll(".chosen"))
		e.classList.remove("chosen");
	const i = chosen(), e = i < 0 ? null : rowElement(i);

	if (e)
		e.classList.add("chosen");
}

/* Text that does not fit on its line goes on below the value, not below its name. */
function indented(text) {
	const pre = make("pre");

	pre.append(...text.split("\n").map(line => make("div", "", line)));
	return pre;
}

/* Why the row that is chosen has failed: it says so itself, or the row that it led to does. Of another
 * row: the last one before it that has failed; now: what failed last. */
function showWhy() {
	const i = chosen(), all = rows();
	const row = i < 0 ? all.findLast(r => r.why && r.why === state.data.why)
		: all[i].bad && all.slice(i).find(r => r.why) || all.slice(0, i + 1).findLast(r => r.why);
	const why = i < 0 ? state.data.why : row ? row.why : "";

	put("why-body", [row && row.id, why], () => why
		? [...row ? [make("h3", "bad", `✗ ${row.time}, ${row.end}: ${row.text}`)] : [], indented(why)]
		: [make("p", "note", i < 0 ? "Nothing has failed." : "Nothing had failed yet.")]);
	find("why").classList.toggle("alarm", Boolean(why));
}

/* ---------------------------------------------------------------------- whole -- */

function showHead() {
	const i = chosen(), badge = find("when");

	find("summary").textContent = state.data.summary;
	badge.className = state.failed ? "lost" : i >= 0 ? "past" : "now";
	badge.textContent = state.failed ? "the program does not answer"
		: i >= 0 ? `as it was at ${rows()[i].time}` : state.live ? "live" : "at the end";
}

function show() {
	const before = places();

	showHead();
	showQps();
	showCqs();
	showMemory();
	showLadder();
	showWhy();
	move(before);
}

/* ----------------------------------------------------------------- questions -- */

async function ask() {
	const params = new URLSearchParams(), at = state.at, row = at === null ? "" : at;

	params.set("row", row);
	if (state.data && state.data.at === row)
		params.set("seen", state.data.version);
	state.asked++;
	try {
		const answer = await fetch("state?" + params, {cache: "no-store"});

		if (!answer.ok)
			throw new Error(answer.status);
		const data = await answer.json();

		state.failed = false;
		if (data.rows && at === state.at) {
			state.data = data;
			if (chosen() < 0)
				state.at = null;
			if (!row)
				markBytes(data.ends);
			state.ends = ends(data.ends);
			show();
		}
	} catch (e) {
		state.failed = true;
	}
	if (state.data)
		showHead();
	return state.failed ? LOST_MS : document.hidden ? LOST_MS : WAIT_MS;
}

async function watch() {
	for (;;)
		await new Promise(next => { ask().then(ms => setTimeout(next, ms)); });
}

/* Shows the objects at a row; null: as they are now. */
function choose(i) {
	const all = rows();

	state.at = i === null || !all.length ? null : all[Math.max(0, Math.min(i, all.length - 1))].id;
	if (state.live) {
		show();
		ask();
	} else {
		const row = chosen(), past = row < 0 ? state.past : state.past.slice(0, row + 1);

		state.ends = ends(past.findLast(e => e) || state.past.find(e => e) || []);
		show();
	}
	const e = chosen() < 0 ? null : rowElement(chosen());

	if (e)
		e.scrollIntoView({block: "nearest"});
}

function step(by) {
	const i = chosen(), n = rows().length;

	if (i < 0 && by > 0)
		return;
	choose(i < 0 ? n - 1 : i + by >= n ? null : i + by);
}

function nextFailure() {
	const all = rows(), from = chosen();

	for (let k = 1; k <= all.length; k++) {
		const i = (from + k + all.length) % all.length;

		if (all[i].bad) {
			choose(i);
			return;
		}
	}
}

function enlarge(name) {
	state.big = state.big === name ? null : name;
	document.body.classList.toggle("alone", state.big !== null);
	for (const [pane] of PANES)
		find(pane).classList.toggle("big", pane === state.big);
}

/* -------------------------------------------------------------------- frame -- */

const KEYS = {
	ArrowUp: () => step(-1), k: () => step(-1), ArrowDown: () => step(1), j: () => step(1),
	PageUp: () => step(-10), PageDown: () => step(10), Home: () => choose(0),
	End: () => choose(null), l: () => choose(null), f: nextFailure,
	t: toggleTable, "0": () => enlarge(state.big),
	Escape: () => { if (state.big) enlarge(state.big); else choose(null); },
	"?": () => find("help").toggleAttribute("hidden"),
};

function toggleTable() {
	find("ladder").classList.toggle("as-table");
	showLadder();
}

function onKey(event) {
	if (event.ctrlKey || event.altKey || event.metaKey || !state.data)
		return;
	const pane = PANES[Number(event.key) - 1];
	const does = pane ? () => enlarge(pane[0]) : KEYS[event.key];

	if (!does)
		return;
	event.preventDefault();
	does();
}

function onClick(event) {
	const row = event.target.closest("[data-row]"), title = event.target.closest("h2");

	if (row)
		choose(Number(row.dataset.row));
	else if (title)
		enlarge(title.parentElement.id);
}

const HELP = [["↑ ↓", "an earlier row: everything as it was then"], ["End l", "back to now"],
	["f", "the next failure"], ["1 2 3 4 5", "one pane alone, and again: all"],
	["t", "the timeline as a table"], ["?", "this help"]];

function help() {
	const aside = make("aside");

	aside.id = "help";
	aside.hidden = true;
	for (const [keys, does] of HELP) {
		const line = make("div");

		line.append(...keys.split(" ").map(key => make("kbd", "", key)), does);
		aside.append(line);
	}
	return aside;
}

function frame() {
	const main = find("panes");

	PANES.forEach(([id, title], i) => {
		const pane = make("section", "pane"), head = make("h2", "", title), body = make("div", "body");

		pane.id = id;
		head.title = `Key ${i + 1}: this pane alone`;
		head.prepend(make("kbd", "", i + 1));
		body.id = id + "-body";
		body.tabIndex = 0;
		pane.append(head, body);
		main.append(pane);
	});
	document.body.append(help());
	/* the newest row stays where it is seen */
	addEventListener("resize", () => {
		if (state.at === null)
			find("ladder-body").scrollTop = find("ladder-body").scrollHeight;
	});
	document.addEventListener("keydown", onKey);
	document.addEventListener("click", onClick);
}

function begin() {
	const inside = find("data").textContent.trim();

	frame();
	if (!inside) {
		state.live = true;
		watch();
		return;
	}
	state.data = JSON.parse(inside);
	state.past = JSON.parse(find("past").textContent);
	markBytes(state.past.findLast(e => e) || []);
	choose(null);
}

begin();
